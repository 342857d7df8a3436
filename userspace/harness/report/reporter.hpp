// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <memory>
#include <string>

namespace harness {

enum class OutputFormat { human, json, ktap };

struct StepResult {
  std::string name;
  std::string description;
  std::chrono::nanoseconds duration{0};
  std::string error;  ///< empty: passed

  [[nodiscard]] bool passed() const noexcept { return error.empty(); }
};

/// Prints the results of a list of steps to stdout, one line a step as they come (JSON: one object at the
/// end).
class Reporter {
 public:
  virtual ~Reporter() = default;

  /// Once, in front of the steps. `title` names the run, e.g. "smoke on /dev/dri/renderD128".
  virtual void begin(const std::string& title, size_t steps) = 0;
  virtual void step(const StepResult& result) = 0;
  /// Once, after the steps.
  virtual void end() = 0;
};

[[nodiscard]] std::unique_ptr<Reporter> make_reporter(OutputFormat format);

}  // namespace harness
