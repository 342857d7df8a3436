// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "ladder/rung_process.hpp"
#include "stress/plan.hpp"

namespace harness {

struct StressOptions {
  PlanOptions plan;
  std::string node;
  uint64_t first_step = 1;               ///< begin in the midst of the run of that seed
  uint64_t kills = 0;                    ///< stop after so many; 0: only `duration` counts
  std::chrono::nanoseconds duration{0};  ///< stop after this long; 0: only `kills` counts
  std::chrono::nanoseconds deadline{0};  ///< what takes longer is a wedge
};

/// Something that did not go on, or went wrong, and where.
struct Wedge {
  uint64_t step = 0;
  unsigned slot = 0;
  uint64_t checked = 0;    ///< the last step behind which a fresh process computed
  bool recovered = false;  ///< with every worker gone, a fresh process computed again
  RungResult what;
};

struct StressResult {
  uint64_t steps = 0;
  uint64_t kills = 0;
  uint64_t own_deaths = 0;     ///< of them by their own hand, between two calls of the driver
  uint64_t mid_job = 0;        ///< of them with a job that had not been waited for
  uint64_t checks = 0;         ///< fresh processes that were to compute
  uint64_t out_of_memory = 0;  ///< workers that ended with ENOMEM under memory pressure; no wedge
  uint64_t hogs = 0;           ///< how often memory was made scarce
  uint64_t swapped_out = 0;    ///< bytes, by anybody, meanwhile
  uint64_t gaps = 0;           ///< how often the GPU was left alone
  uint64_t suspends = 0;       ///< of them with the GPU suspended
  std::chrono::nanoseconds slowest_death{0};
  std::chrono::nanoseconds slowest_check{0};
  std::vector<Wedge> wedges;
  bool computes_at_end = false;
  std::vector<std::string> warnings;  ///< WARN, BUG and Oops lines of the kernel
  bool kernel_log_readable = false;
  std::string no_suspend;  ///< why the GPU's suspend could not be tried; empty: it could
};

/// Runs the plan. `progress` is called behind every step. Throws std::system_error when it cannot go on
/// itself (fork).
[[nodiscard]] StressResult run_stress(const StressOptions& options,
                                      const std::function<void(const StressResult&)>& progress);

}  // namespace harness
