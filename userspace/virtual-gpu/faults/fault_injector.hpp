// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "core/event_log.hpp"

namespace vgpu {

/// One row of the catalogue. A new fault is a row here plus one `injector.hits("name")` where the hardware
/// would fail.
struct FaultKind {
  std::string_view name;    ///< as written after --fault
  std::string_view layer;   ///< registers, mmu, firmware, cs, transport: where it hooks
  std::string_view what;    ///< what a real GPU or firmware would have to do wrong, one line
  std::string_view stage;   ///< S0-S8: where a job then stops (docs/architecture.md)
  std::string_view only{};  ///< the words only= takes, separated by a space; empty: it takes none
  uint64_t ms = 0;          ///< faults that last or delay: for how long unless ms= says; 0: takes no ms=
};

/// The whole catalogue, in name order.
[[nodiscard]] std::span<const FaultKind> fault_catalogue() noexcept;
/// The row as --list-faults prints it, without a newline.
[[nodiscard]] std::string catalogue_line(const FaultKind& kind);

/// A spec the user wrote is wrong; what() is one line saying what would be right.
class FaultSpecError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// `name[:only=WORD][:ms=N][:after=N][:count=N]`: of the occasions that WORD names (all, without it), skip
/// the first `after`, then fail `count` times. count=0: for ever.
struct FaultSpec {
  std::string name;
  uint64_t after = 0;
  uint64_t count = 1;
  std::string only;  ///< one word of FaultKind::only; empty: every occasion counts
  uint64_t ms = 0;   ///< milliseconds of model time; parse() fills the row's default in
  /// Throws FaultSpecError for an unknown name, key, word or number.
  static FaultSpec parse(std::string_view text);
};

/// What is armed now. The model asks at each occasion; nothing else in the model knows that faults exist.
class FaultInjector {
 public:
  explicit FaultInjector(EventLog& log) : log_(log) {}

  /// Replaces what is armed under the same name. Throws FaultSpecError for an unknown name.
  void arm(FaultSpec spec);
  /// Harmless when it is not armed.
  void disarm(std::string_view name) noexcept;
  /// What is still to come: `after` and `count` shrink as occasions pass, a used-up fault leaves.
  [[nodiscard]] const std::vector<FaultSpec>& armed() const noexcept { return armed_; }

  /// True when this occasion fails. `name` must be in the catalogue, and `which` one of its words where the
  /// row has any (checked by assert).
  [[nodiscard]] bool hits(std::string_view name, std::string_view which = {});
  /// The same for a fault that lasts: for how many nanoseconds.
  [[nodiscard]] std::optional<uint64_t> delays_ns(std::string_view name, std::string_view which = {});

 private:
  EventLog& log_;
  std::vector<FaultSpec> armed_;
};

}  // namespace vgpu
