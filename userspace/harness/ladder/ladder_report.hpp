// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <string>

#include "ladder/ladder.hpp"
#include "report/reporter.hpp"

namespace harness {

/// Prints a climb to stdout: rung by rung, and the evidence of the one that failed.
class LadderReport {
 public:
  virtual ~LadderReport() = default;
  virtual void begin(const std::string& title, size_t rungs) = 0;
  virtual void rung(const RungResult& result) = 0;
  virtual void end(const Climb& climb) = 0;
};

[[nodiscard]] std::unique_ptr<LadderReport> make_ladder_report(OutputFormat format);

/// The evidence as lines of text, most telling first.
[[nodiscard]] std::vector<std::string> describe_evidence(const RungResult& result);

}  // namespace harness
