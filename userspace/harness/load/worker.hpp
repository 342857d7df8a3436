// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "panthor/device_info.hpp"

namespace harness {

/// What one process of the load does.
struct LoadOptions {
  std::string node;
  unsigned groups = 8;
  unsigned queues = 2;                               ///< of each group; queue 0 signals the others
  std::optional<panthor::GroupPriority> priority{};  ///< of all groups; none: mixed
  std::chrono::nanoseconds duration{0};  ///< stop starting rounds after this long; 0: only `rounds` counts
  uint64_t rounds = 0;                   ///< stop after so many; 0: only `duration` counts
  std::chrono::nanoseconds timeout{0};   ///< a wait longer than this is a hang
  uint32_t seed = 1;                     ///< makes values and priorities of this process its own
  std::chrono::microseconds pause{0};    ///< between rounds
  std::function<void(bool in_flight)> watch{};  ///< told in front of each submit, and after each round
};

/// What it did. Plain data: it crosses a pipe.
struct LoadResult {
  uint64_t rounds = 0;
  uint64_t jobs = 0;        ///< jobs whose fence and memory were checked
  uint64_t slowest_ns = 0;  ///< longest round of one group
  char error[240] = {};     ///< empty: all well; otherwise what went wrong first, cut to fit
};

/// Runs the load in this process with many groups: each round every group gets a job a queue,
/// joined by SYNC_WAIT/SYNC_ADD, and every word they store is checked. Never throws.
LoadResult run_load(const LoadOptions& options) noexcept;

}  // namespace harness
