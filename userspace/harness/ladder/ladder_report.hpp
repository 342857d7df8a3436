// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "ladder/ladder.hpp"
#include "report/reporter.hpp"

namespace harness {

/// A rung as a step of a report; one that failed has its stage and its evidence.
[[nodiscard]] StepResult rung_step(const RungResult& result);

/// What is said below the rungs.
[[nodiscard]] Summary climb_summary(const Climb& climb);

/// The evidence as lines of text, most telling first.
[[nodiscard]] std::vector<std::string> describe_evidence(const RungResult& result);

}  // namespace harness
