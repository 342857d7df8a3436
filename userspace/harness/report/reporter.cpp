// SPDX-License-Identifier: MIT
#include "report/reporter.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <nlohmann/json.hpp>

namespace harness {
namespace {

double milliseconds(std::chrono::nanoseconds duration) {
  return std::chrono::duration<double, std::milli>(duration).count();
}

class HumanReporter final : public Reporter {
 public:
  void begin(const std::string& title, size_t) override { fmt::print("{}\n", title); }

  void step(const StepResult& result) override {
    ++(result.passed() ? passed_ : failed_);
    total_ += result.duration;
    fmt::print("  {}  {:<22} {:>9.2f} ms  {}\n", result.passed() ? "pass" : "FAIL", result.name,
               milliseconds(result.duration), result.passed() ? result.description : result.error);
    std::fflush(stdout);
  }

  void end() override {
    fmt::print("{} passed, {} failed in {:.0f} ms\n", passed_, failed_, milliseconds(total_));
  }

 private:
  unsigned passed_ = 0;
  unsigned failed_ = 0;
  std::chrono::nanoseconds total_{0};
};

/// The kernel's dialect of TAP (Documentation/dev-tools/ktap.rst).
class KtapReporter final : public Reporter {
 public:
  void begin(const std::string& title, size_t steps) override {
    fmt::print("KTAP version 1\n# {}\n1..{}\n", title, steps);
  }

  void step(const StepResult& result) override {
    ++(result.passed() ? passed_ : failed_);
    if (!result.passed()) fmt::print("# {}: {}\n", result.name, result.error);
    fmt::print("# {}: {:.2f} ms\n{} {} {}\n", result.name, milliseconds(result.duration),
               result.passed() ? "ok" : "not ok", passed_ + failed_, result.name);
    std::fflush(stdout);
  }

  void end() override { fmt::print("# Totals: pass:{} fail:{} skip:0\n", passed_, failed_); }

 private:
  unsigned passed_ = 0;
  unsigned failed_ = 0;
};

class JsonReporter final : public Reporter {
 public:
  void begin(const std::string& title, size_t) override { json_["title"] = title; }

  void step(const StepResult& result) override {
    nlohmann::ordered_json row{{"name", result.name},
                               {"result", result.passed() ? "pass" : "fail"},
                               {"ms", milliseconds(result.duration)}};
    if (!result.passed()) row["error"] = result.error;
    json_["steps"].push_back(std::move(row));
    ++(result.passed() ? passed_ : failed_);
  }

  void end() override {
    json_["passed"] = passed_;
    json_["failed"] = failed_;
    fmt::print("{}\n", json_.dump(2));
  }

 private:
  nlohmann::ordered_json json_{{"steps", nlohmann::ordered_json::array()}};
  unsigned passed_ = 0;
  unsigned failed_ = 0;
};

}  // namespace

std::unique_ptr<Reporter> make_reporter(OutputFormat format) {
  if (format == OutputFormat::json) return std::make_unique<JsonReporter>();
  if (format == OutputFormat::ktap) return std::make_unique<KtapReporter>();
  return std::make_unique<HumanReporter>();
}

}  // namespace harness
