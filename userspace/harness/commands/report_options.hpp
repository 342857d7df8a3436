// SPDX-License-Identifier: MIT
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "report/reporter.hpp"

namespace harness {

/// The options of every test-like command: --json, --ktap, --junit FILE.
class ReportOptions {
 public:
  void add_to(CLI::App& command) {
    auto* json = command.add_flag("--json", json_, "One JSON object instead of lines");
    command.add_flag("--ktap", ktap_, "KTAP, for kernel test runners")->excludes(json);
    command.add_option("--junit", junit_, "Also write the results to this file as JUnit XML")
        ->type_name("FILE");
  }

  [[nodiscard]] bool human() const noexcept { return !json_ && !ktap_; }
  /// Throws std::system_error when the JUnit file cannot be written.
  [[nodiscard]] std::unique_ptr<Reporter> reporter() const {
    return make_reporter(json_   ? OutputFormat::json
                         : ktap_ ? OutputFormat::ktap
                                 : OutputFormat::human,
                         junit_);
  }

 private:
  bool json_ = false;
  bool ktap_ = false;
  std::string junit_;
};

}  // namespace harness
