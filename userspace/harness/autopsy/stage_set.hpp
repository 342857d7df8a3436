// SPDX-License-Identifier: MIT
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "ladder/stage.hpp"

namespace harness::autopsy {

inline constexpr unsigned stage_count = 9;

/// Stages a job may have stopped at.
class StageSet {
 public:
  constexpr StageSet() = default;
  constexpr StageSet(std::initializer_list<Stage> stages) {
    for (const Stage stage : stages) bits_ |= bit(stage);
  }
  [[nodiscard]] static constexpr StageSet all() { return from_bits((1u << stage_count) - 1); }

  [[nodiscard]] constexpr bool empty() const { return bits_ == 0; }
  [[nodiscard]] constexpr bool has(Stage stage) const { return (bits_ & bit(stage)) != 0; }
  [[nodiscard]] constexpr bool intersects(StageSet other) const { return (bits_ & other.bits_) != 0; }
  [[nodiscard]] constexpr StageSet both(StageSet other) const { return from_bits(bits_ & other.bits_); }
  [[nodiscard]] constexpr StageSet with(StageSet other) const { return from_bits(bits_ | other.bits_); }
  [[nodiscard]] constexpr StageSet without(StageSet other) const { return from_bits(bits_ & ~other.bits_); }
  constexpr bool operator==(const StageSet&) const = default;

  [[nodiscard]] std::vector<Stage> list() const;
  /// "S4", "S4-S6", "S1,S4-S6", "none".
  [[nodiscard]] std::string text() const;

 private:
  [[nodiscard]] static constexpr unsigned bit(Stage stage) { return 1u << static_cast<unsigned>(stage); }
  [[nodiscard]] static constexpr StageSet from_bits(unsigned bits) {
    StageSet set;
    set.bits_ = bits;
    return set;
  }

  unsigned bits_ = 0;
};

/// The stage of "S0" to "S8"; an empty set for anything else.
[[nodiscard]] StageSet stage_by_name(std::string_view name);

}  // namespace harness::autopsy
