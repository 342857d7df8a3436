// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "heap/private_heap.hpp"

namespace harness {

/// A model as the GPU's memory sees it.
struct ModelProfile {
  std::string_view name;
  std::string_view description;
  uint64_t weights_bytes;
  uint64_t kv_bytes;         ///< key-value cache at the context the users run (assumed where not measured)
  uint64_t ubatch_bytes;     ///< activations of one micro batch (assumed)
  uint64_t largest_buffer;   ///< the largest single buffer asked for
  uint64_t spill_bytes;      ///< scratch of the worst shader, bytes a thread
  uint64_t command_buffers;  ///< recorded and alive at once
};

/// The users' models.
[[nodiscard]] std::span<const ModelProfile> model_profiles() noexcept;
/// Throws std::invalid_argument naming the ones there are.
[[nodiscard]] ModelProfile find_profile(std::string_view name);

/// The machine and the user-space driver a model should fit.
struct FitLimits {
  uint64_t ram_bytes = 32ull << 30;
  uint64_t reserved_ram_bytes = 2ull << 30;          ///< system, other programs
  VaRange private_heap{};                            ///< panvk, Mesa 26.1
  VaRange application_heap{4ull << 30, 1ull << 47};  ///< panvk, Mesa 26.1
  uint64_t buffer_cap = (4ull << 30) - 1;            ///< maxBufferSize: 32-bit sizes in descriptors
  ScratchGpu gpu{};
};

/// One limit and how much of it is used.
struct FitRow {
  std::string limit;
  uint64_t needed;
  uint64_t available;
  std::string remark;
  [[nodiscard]] bool fits() const noexcept { return needed <= available; }
};

struct Fit {
  std::vector<FitRow> rows;  ///< in the order in which a program meets them
  /// The first row that does not fit; nullptr: it runs.
  [[nodiscard]] const FitRow* stopped_by() const noexcept;
};

[[nodiscard]] Fit fit_model(const ModelProfile& model, const FitLimits& limits);

}  // namespace harness
