// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <span>
#include <vector>

/// Rank statistics of few, skewed observations. They assume no distribution: a measured time has a hard lower
/// end and a long tail.
namespace harness::stats {

/// The `q` quantile (0 to 1) of `values` in any order, interpolated between neighbours. Throws
/// std::invalid_argument when there are none.
[[nodiscard]] double quantile(std::span<const double> values, double q);

struct Interval {
  double low = 0;
  double high = 0;
};

/// A location and where it lies with the confidence asked for; no interval: too few observations for it.
struct Estimate {
  double value = 0;
  std::optional<Interval> interval;
};

/// Location of paired `differences`: the Hodges-Lehmann estimate (median of all averages of two) with the
/// interval that inverts Wilcoxon's signed-rank test, exact up to 50 pairs. 95 % needs 6 of them.
[[nodiscard]] Estimate paired_shift(std::span<const double> differences, double confidence);

/// How far `b` lies above `a`, independent samples: the Hodges-Lehmann estimate (median of all differences)
/// with the interval that inverts the Mann-Whitney test, exact up to 30 observations a side. 95 % needs 4 on
/// each side. More than 1000 a side are thinned.
[[nodiscard]] Estimate unpaired_shift(std::span<const double> a, std::span<const double> b,
                                      double confidence);

}  // namespace harness::stats
