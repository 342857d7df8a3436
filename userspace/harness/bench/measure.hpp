// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <span>

#include "bench/bench_clock.hpp"
#include "bench/record.hpp"
#include "bench/workload.hpp"

namespace harness {

struct MeasureOptions {
  unsigned rounds = 20;  ///< visits of every row
  /// Measured batches a visit; one more in front of them is thrown away: it finds the caches of another row.
  unsigned batches = 3;
  std::function<void(const std::string&)> progress;  ///< told what is done next; may be empty
};

/// Measures `rows` on `device`, round by round, so that a slow minute of the machine falls on all of them. A
/// row whose workload cannot be set up for lack of memory, addresses or driver support is skipped, with the
/// reason; any other failure is thrown.
[[nodiscard]] BenchRun measure(const panthor::Device& device, std::span<const BenchRow> rows,
                               BenchClock& clock, const MeasureOptions& options);

}  // namespace harness
