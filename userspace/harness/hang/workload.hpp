// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "jobs/session.hpp"

namespace harness {

/// What a workload gets.
struct WorkloadContext {
  std::string node;
  /// Called once, when everything is prepared and the next step is the one that hangs.
  std::function<void()> ready;
};

/// Work that ends in a fence which never signals, or that a fault of the GPU or the kernel keeps from
/// signalling. It waits without a deadline, as a user's process does.
struct Workload {
  std::string_view name;
  std::string_view stage;  ///< S0-S8 where it stops by itself; "-": it ends, unless something else fails
  std::string_view what;   ///< one line
  void (*run)(WorkloadContext& context);
};

/// The whole table, in the order of the stages.
[[nodiscard]] std::span<const Workload> workloads() noexcept;
/// The workload by that name; throws std::invalid_argument that names all.
[[nodiscard]] const Workload& find_workload(std::string_view name);

}  // namespace harness
