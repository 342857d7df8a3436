// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace harness {

enum class OutputFormat : uint8_t { human, json, ktap };

/// How one step of a test-like command ended.
struct StepResult {
  std::string name;
  std::string description;
  std::chrono::nanoseconds duration{0};
  std::string error;                    ///< why it failed; empty: it did not
  std::string skipped{};                ///< why it was not tried; empty: it was
  std::vector<std::string> evidence{};  ///< lines below the result of a step that failed
  nlohmann::ordered_json details = nlohmann::ordered_json::object();  ///< further members of its JSON object

  [[nodiscard]] bool passed() const noexcept { return error.empty() && skipped.empty(); }
  [[nodiscard]] bool failed() const noexcept { return !error.empty(); }
};

/// What is said once, below the steps.
struct Summary {
  std::string text{};                                                 ///< human: in place of the counts
  nlohmann::ordered_json details = nlohmann::ordered_json::object();  ///< further members of the JSON object
};

/// Tells the results of a list of steps, to stdout one line a step as they come (JSON: one object at the
/// end), to a JUnit file at the end.
class Reporter {
 public:
  virtual ~Reporter() = default;

  /// Once, in front of the steps. `title` names the run, e.g. "smoke on /dev/dri/renderD128"; `steps` names
  /// those to come, in order.
  virtual void begin(const std::string& title, const std::vector<std::string>& steps) = 0;
  virtual void step(const StepResult& result) = 0;
  /// Once, after the steps. Those that did not come count as skipped.
  virtual void end(const Summary& summary) = 0;
  void end() { end({}); }
};

/// Writes to stdout in `format`, and to the file `junit` as JUnit XML unless it is empty. Throws
/// std::system_error when that file cannot be written.
[[nodiscard]] std::unique_ptr<Reporter> make_reporter(OutputFormat format, const std::string& junit = {});

}  // namespace harness
