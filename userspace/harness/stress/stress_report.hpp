// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "report/reporter.hpp"
#include "stress/stress.hpp"

namespace harness {

/// The names of the steps stress_steps() makes for these options.
[[nodiscard]] std::vector<std::string> stress_step_names(const StressOptions& options);
/// A run as the steps of a report.
[[nodiscard]] std::vector<StepResult> stress_steps(const StressOptions& options, const StressResult& result);
/// What is said below them.
[[nodiscard]] Summary stress_summary(const StressOptions& options, const StressResult& result);
/// The arguments that run the steps around a wedge again.
[[nodiscard]] std::string replay_arguments(const StressOptions& options, const Wedge& wedge);

}  // namespace harness
