// SPDX-License-Identifier: MIT
#include "bench/bench_report.hpp"

#include <fmt/format.h>

#include <string_view>

namespace harness {
namespace {

std::string_view design_text(Design design) {
  switch (design) {
    case Design::paired:
      return "run by run, measured in turn";
    case Design::runs:
      return "runs of A against runs of B";
    case Design::batches:
      break;
  }
  return "batches of one run each: differences between boots are not in the interval";
}

std::string machine(const BenchRecord& record) {
  return fmt::format("kernel {}, panthor {}, GPU {}, {} run{}", record.kernel, record.driver, record.gpu,
                     record.runs.size(), record.runs.size() == 1 ? "" : "s");
}

}  // namespace

std::string show_ns(double ns) {
  struct Unit {
    double ns;
    const char* name;
  };
  for (const Unit unit : {Unit{1e9, "s"}, Unit{1e6, "ms"}, Unit{1e3, "us"}})
    if (ns >= unit.ns) return fmt::format("{:.3g} {}", ns / unit.ns, unit.name);
  return fmt::format("{:.3g} ns", ns);
}

void print_run(const BenchRecord& record, const BenchRun& run) {
  fmt::print("panthor-harness bench: {}, clock {}\n", machine(record), record.clock);
  fmt::print("{:<18} {:>10} {:>10} {:>8} {:>6}\n", "row", "median", "quartile", "spread", "n");
  for (const RowSamples& row : run.rows) {
    if (!row.skipped.empty()) {
      fmt::print("{:<18} skipped: {}\n", row.name, row.skipped);
      continue;
    }
    const double median = stats::quantile(row.ns_per_op, 0.5);
    const double low = stats::quantile(row.ns_per_op, 0.25), high = stats::quantile(row.ns_per_op, 0.75);
    fmt::print("{:<18} {:>10} {:>10} {:>6.1f} % {:>6}\n", row.name, show_ns(median), show_ns(low),
               100 * (high - low) / median, row.ns_per_op.size());
  }
  fmt::print(
      "time of one operation; quartile: the lower one, which comparisons use; spread: between the "
      "quartiles; n: batches\n");
}

void print_comparison(const BenchRecord& a, const BenchRecord& b, const Comparison& comparison,
                      double limit) {
  fmt::print("A: {}\nB: {}\nclock {}; {}\n", machine(a), machine(b), a.clock, design_text(comparison.design));
  fmt::print("{:<18} {:>10} {:>10} {:>8} {:>18} {:>6}  {}\n", "row", "A", "B", "B/A", "95 % interval", "n",
             "verdict");
  for (const RowComparison& row : comparison.rows) {
    if (row.verdict == Verdict::missing) {
      fmt::print("{:<18} {:>56}  missing: {}\n", row.name, "", row.note);
      continue;
    }
    const std::string interval = row.interval
                                     ? fmt::format("[{:.4f}, {:.4f}]", row.interval->low, row.interval->high)
                                     : "too few runs";
    fmt::print("{:<18} {:>10} {:>10} {:>8.4f} {:>18} {:>6}  {}\n", row.name, show_ns(row.a_ns),
               show_ns(row.b_ns), row.ratio, interval, row.observations, to_string(row.verdict));
  }
  fmt::print("limit {}: {} same, {} faster, {} slower, {} undecided, {} missing\n", limit,
             comparison.count(Verdict::same), comparison.count(Verdict::faster),
             comparison.count(Verdict::slower), comparison.count(Verdict::undecided),
             comparison.count(Verdict::missing));
}

}  // namespace harness
