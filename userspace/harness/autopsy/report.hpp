// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "autopsy/diagnosis.hpp"

namespace harness::autopsy {

/// For a terminal: the verdict in the first line, no longer than a screen.
[[nodiscard]] std::string human_report(const Facts& facts, const Diagnosis& diagnosis);

/// One JSON object: schema 1, verdict, stage ("S4", "S4-S7"), stages, cause, confidence, headline,
/// evidence[], ruled_out[] {stage, why}, next[], process, sources[] {name, seen, note}. New keys may be
/// added, old ones keep their meaning.
[[nodiscard]] std::string json_report(const Facts& facts, const Diagnosis& diagnosis);

}  // namespace harness::autopsy
