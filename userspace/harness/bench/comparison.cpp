// SPDX-License-Identifier: MIT
#include "bench/comparison.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace harness {
namespace {

constexpr double confidence = 0.95;
/// From so few runs a side up the interval of independent runs exists.
constexpr size_t enough_runs = 4;

Design design_of(const BenchRecord& a, const BenchRecord& b) {
  if (!a.pairing.empty() && a.pairing == b.pairing && a.runs.size() == b.runs.size() && a.runs.size() > 1)
    return Design::paired;
  return std::min(a.runs.size(), b.runs.size()) >= enough_runs ? Design::runs : Design::batches;
}

/// What is known of one row on one side; logarithms, so that differences are ratios.
struct Side {
  std::vector<std::optional<double>> runs;  // by run
  std::vector<double> batches;
  unsigned ops = 0;
  bool mixed_ops = false;
  std::string skipped;

  Side(const BenchRecord& record, const std::string& name) {
    for (const BenchRun& run : record.runs) {
      const RowSamples* row = run.find(name);
      const bool usable = row && row->skipped.empty();
      runs.push_back(usable ? std::optional(std::log(run_figure(*row))) : std::nullopt);
      if (row && !usable) skipped = row->skipped;
      if (!usable) continue;
      mixed_ops |= ops != 0 && ops != row->ops;
      ops = row->ops;
      for (const double ns : row->ns_per_op) batches.push_back(std::log(ns));
    }
  }

  [[nodiscard]] bool empty() const noexcept { return batches.empty(); }
  [[nodiscard]] std::vector<double> known_runs() const {
    std::vector<double> known;
    for (const auto& run : runs)
      if (run) known.push_back(*run);
    return known;
  }
};

stats::Estimate estimate(const Side& a, const Side& b, Design design, size_t& observations) {
  if (design == Design::paired) {
    std::vector<double> differences;
    for (size_t i = 0; i < a.runs.size(); ++i)
      if (a.runs[i] && b.runs[i]) differences.push_back(*b.runs[i] - *a.runs[i]);
    observations = differences.size();
    if (!differences.empty()) return stats::paired_shift(differences, confidence);
  }
  const auto left = design == Design::batches ? a.batches : a.known_runs();
  const auto right = design == Design::batches ? b.batches : b.known_runs();
  observations = std::min(left.size(), right.size());
  return stats::unpaired_shift(left, right, confidence);
}

Verdict judge(const RowComparison& row, double limit) {
  if (!row.interval) return Verdict::undecided;
  if (row.interval->low >= 1 / limit && row.interval->high <= limit) return Verdict::same;
  if (row.ratio > limit && row.interval->low > 1) return Verdict::slower;
  if (row.ratio < 1 / limit && row.interval->high < 1) return Verdict::faster;
  return Verdict::undecided;
}

RowComparison compare_row(const std::string& name, const BenchRecord& a, const BenchRecord& b, Design design,
                          double limit) {
  RowComparison row{.name = name};
  const Side left(a, name), right(b, name);
  if (left.empty() || right.empty()) {
    const Side& lacking = left.empty() ? left : right;
    row.note = fmt::format("not in {}{}{}", left.empty() ? "A" : "B", lacking.skipped.empty() ? "" : ": ",
                           lacking.skipped);
    return row;
  }
  if (left.mixed_ops || right.mixed_ops || left.ops != right.ops) {
    row.note = fmt::format("batches of {} against {} operations", left.ops, right.ops);
    return row;
  }
  row.a_ns = std::exp(stats::quantile(left.known_runs(), 0.5));
  row.b_ns = std::exp(stats::quantile(right.known_runs(), 0.5));
  const stats::Estimate shift = estimate(left, right, design, row.observations);
  row.ratio = std::exp(shift.value);
  if (shift.interval) row.interval = {std::exp(shift.interval->low), std::exp(shift.interval->high)};
  row.verdict = judge(row, limit);
  return row;
}

}  // namespace

const char* to_string(Verdict verdict) noexcept {
  constexpr const char* names[] = {"same", "faster", "slower", "undecided", "missing"};
  return names[static_cast<size_t>(verdict)];
}

size_t Comparison::count(Verdict verdict) const noexcept {
  return static_cast<size_t>(std::ranges::count(rows, verdict, &RowComparison::verdict));
}

double run_figure(const RowSamples& row) {
  return stats::quantile(row.ns_per_op, 0.25);
}

Comparison compare(const BenchRecord& a, const BenchRecord& b, double limit) {
  if (a.clock != b.clock)
    throw RecordError(fmt::format("A was measured by the clock \"{}\", B by \"{}\"", a.clock, b.clock));
  Comparison result{.design = design_of(a, b), .rows = {}};
  std::vector<std::string> names = a.row_names();
  for (const std::string& name : b.row_names())
    if (std::ranges::find(names, name) == names.end()) names.push_back(name);
  for (const std::string& name : names) result.rows.push_back(compare_row(name, a, b, result.design, limit));
  if (result.count(Verdict::missing) == result.rows.size())
    throw RecordError("A and B have no row in common that both measured");
  return result;
}

}  // namespace harness
