// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "bench/comparison.hpp"
#include "bench/record.hpp"

namespace harness {

/// Nanoseconds as "830 ns", "12.3 us", "4.56 ms".
[[nodiscard]] std::string show_ns(double ns);

/// The table of one run: median, spread and count a row.
void print_run(const BenchRecord& record, const BenchRun& run);

/// The table of a comparison, with a last line that counts the verdicts.
void print_comparison(const BenchRecord& a, const BenchRecord& b, const Comparison& comparison, double limit);

}  // namespace harness
