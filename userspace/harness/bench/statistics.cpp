// SPDX-License-Identifier: MIT
#include "bench/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>

namespace harness::stats {
namespace {

constexpr size_t exact_pairs = 50;
constexpr size_t exact_side = 30;
constexpr size_t thinned_to = 1000;

/// The standard normal quantile of 1 - `tail`, by bisection of the distribution function.
double normal_quantile(double tail) {
  double low = 0, high = 10;
  for (int i = 0; i < 60; ++i) {
    const double middle = (low + high) / 2;
    (0.5 * std::erfc(middle / std::sqrt(2.0)) > tail ? low : high) = middle;
  }
  return low;
}

/// Largest c with P(statistic < c) <= tail for a statistic that takes the value i in ways[i] of all cases:
/// how many ordered values lie outside the interval at each end, plus one. 0: not even the smallest is rare
/// enough.
size_t critical(const std::vector<double>& ways, double tail) {
  const double all = std::accumulate(ways.begin(), ways.end(), 0.0);
  double below = 0;
  size_t c = 0;
  while (c < ways.size() && (below += ways[c]) <= tail * all) ++c;
  return c;
}

/// The same by the normal approximation.
size_t critical(double mean, double variance, double tail) {
  return static_cast<size_t>(std::max(0.0, std::floor(mean - normal_quantile(tail) * std::sqrt(variance))));
}

size_t signed_rank_critical(size_t n, double tail) {
  const auto count = static_cast<double>(n);
  if (n > exact_pairs)
    return critical(count * (count + 1) / 4, count * (count + 1) * (2 * count + 1) / 24, tail);
  // Subsets of the ranks 1..n by their sum.
  std::vector<double> ways(n * (n + 1) / 2 + 1, 0.0);
  ways[0] = 1;
  for (size_t rank = 1; rank <= n; ++rank)
    for (size_t sum = ways.size() - 1; sum >= rank; --sum) ways[sum] += ways[sum - rank];
  return critical(ways, tail);
}

size_t mann_whitney_critical(size_t m, size_t n, double tail) {
  const auto a = static_cast<double>(m), b = static_cast<double>(n);
  if (m > exact_side || n > exact_side) return critical(a * b / 2, a * b * (a + b + 1) / 12, tail);
  // Orders of m and j observations by the count of pairs in the "wrong" order, for growing m.
  std::vector<std::vector<double>> ways(n + 1, std::vector<double>(m * n + 1, 0.0));
  for (auto& row : ways) row[0] = 1;
  for (size_t i = 1; i <= m; ++i)
    for (size_t j = 1; j <= n; ++j) {
      std::vector<double> next(m * n + 1, 0.0);
      for (size_t u = 0; u < next.size(); ++u) next[u] = ways[j - 1][u] + (u >= j ? ways[j][u - j] : 0);
      ways[j] = std::move(next);
    }
  return critical(ways[n], tail);
}

Estimate estimate(std::vector<double> values, size_t c) {
  std::ranges::sort(values);
  Estimate result{quantile(values, 0.5), std::nullopt};
  if (c > 0 && 2 * c <= values.size()) result.interval = Interval{values[c - 1], values[values.size() - c]};
  return result;
}

std::vector<double> thinned(std::span<const double> values) {
  std::vector<double> sorted(values.begin(), values.end());
  std::ranges::sort(sorted);
  if (sorted.size() <= thinned_to) return sorted;
  std::vector<double> few;
  for (size_t i = 0; i < thinned_to; ++i) few.push_back(sorted[i * (sorted.size() - 1) / (thinned_to - 1)]);
  return few;
}

}  // namespace

double quantile(std::span<const double> values, double q) {
  if (values.empty()) throw std::invalid_argument("quantile: no values");
  std::vector<double> sorted(values.begin(), values.end());
  std::ranges::sort(sorted);
  const double at = std::clamp(q, 0.0, 1.0) * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<size_t>(at);
  const size_t above = std::min(below + 1, sorted.size() - 1);
  return std::lerp(sorted[below], sorted[above], at - static_cast<double>(below));
}

Estimate paired_shift(std::span<const double> differences, double confidence) {
  if (differences.empty()) throw std::invalid_argument("paired_shift: no pairs");
  const std::vector<double> few = thinned(differences);
  std::vector<double> averages;
  for (size_t i = 0; i < few.size(); ++i)
    for (size_t j = i; j < few.size(); ++j) averages.push_back((few[i] + few[j]) / 2);
  return estimate(std::move(averages), signed_rank_critical(few.size(), (1 - confidence) / 2));
}

Estimate unpaired_shift(std::span<const double> a, std::span<const double> b, double confidence) {
  if (a.empty() || b.empty()) throw std::invalid_argument("unpaired_shift: no values");
  const std::vector<double> left = thinned(a), right = thinned(b);
  std::vector<double> differences;
  for (const double x : left)
    for (const double y : right) differences.push_back(y - x);
  return estimate(std::move(differences),
                  mann_whitney_critical(left.size(), right.size(), (1 - confidence) / 2));
}

}  // namespace harness::stats
