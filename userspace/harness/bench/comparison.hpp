// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bench/record.hpp"
#include "bench/statistics.hpp"

namespace harness {

enum class Verdict : uint8_t {
  same,       ///< the interval lies within [1 / limit, limit]
  faster,     ///< the ratio is below 1 / limit and the interval below 1
  slower,     ///< the ratio is above limit and the interval above 1
  undecided,  ///< none of these: more runs would tell
  missing,    ///< only one side has figures
};

[[nodiscard]] const char* to_string(Verdict verdict) noexcept;

/// One row of A against the same of B.
struct RowComparison {
  std::string name;
  double a_ns = 0;                               ///< time of an operation, the median of the runs' figures
  double b_ns = 0;                               ///< the same of B
  double ratio = 0;                              ///< B / A
  std::optional<stats::Interval> interval = {};  ///< of the ratio, 95 %
  size_t observations = 0;                       ///< pairs, or observations of the smaller side
  Verdict verdict = Verdict::missing;
  std::string note = {};
};

/// How the figures were put side by side.
enum class Design : uint8_t {
  paired,  ///< run by run, measured in turn
  runs,    ///< runs of A against runs of B
  batches  ///< the batches of one run each: what differs from boot to boot is not in the interval
};

struct Comparison {
  Design design = Design::batches;
  std::vector<RowComparison> rows;

  [[nodiscard]] size_t count(Verdict verdict) const noexcept;
};

/// What a run says of a row: the lower quartile of its batches. Disturbances only ever add time.
[[nodiscard]] double run_figure(const RowSamples& row);

/// `limit` (> 1) is the ratio from which on a difference matters. Throws RecordError when the records do not
/// tell the same thing (another clock) or have no row in common.
[[nodiscard]] Comparison compare(const BenchRecord& a, const BenchRecord& b, double limit);

}  // namespace harness
