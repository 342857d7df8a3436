// SPDX-License-Identifier: MIT
#include "report/reporter.hpp"

#include <fmt/format.h>

#include <cstdio>

#include "report/junit.hpp"

namespace harness {
namespace {

using Json = nlohmann::ordered_json;

double milliseconds(std::chrono::nanoseconds duration) {
  return std::chrono::duration<double, std::milli>(duration).count();
}

struct Counts {
  unsigned passed = 0;
  unsigned failed = 0;
  unsigned skipped = 0;

  void add(const StepResult& result) { ++(result.passed() ? passed : result.failed() ? failed : skipped); }
  [[nodiscard]] unsigned all() const { return passed + failed + skipped; }
};

class HumanReporter final : public Reporter {
 public:
  void begin(const std::string& title, const std::vector<std::string>&) override {
    fmt::print("{}\n", title);
    std::fflush(stdout);
  }

  void step(const StepResult& result) override {
    counts_.add(result);
    total_ += result.duration;
    fmt::print("  {}  {:<22} {:>9.2f} ms  {}\n",
               result.passed()   ? "pass"
               : result.failed() ? "FAIL"
                                 : "skip",
               result.name, milliseconds(result.duration),
               result.passed()   ? result.description
               : result.failed() ? result.error
                                 : result.skipped);
    if (!result.evidence.empty()) fmt::print("\n");
    for (const std::string& line : result.evidence) fmt::print("{}\n", line);
    std::fflush(stdout);
  }

  void end(const Summary& summary) override {
    if (!summary.text.empty()) {
      fmt::print("{}\n", summary.text);
      return;
    }
    fmt::print("{} passed, {} failed{} in {:.0f} ms\n", counts_.passed, counts_.failed,
               counts_.skipped == 0 ? "" : fmt::format(", {} skipped", counts_.skipped),
               milliseconds(total_));
  }

 private:
  Counts counts_;
  std::chrono::nanoseconds total_{0};
};

/// The kernel's dialect of TAP (Documentation/dev-tools/ktap.rst).
class KtapReporter final : public Reporter {
 public:
  void begin(const std::string& title, const std::vector<std::string>& steps) override {
    steps_ = steps;
    fmt::print("KTAP version 1\n# {}\n1..{}\n", title, steps.size());
    std::fflush(stdout);
  }

  void step(const StepResult& result) override {
    counts_.add(result);
    if (result.failed()) fmt::print("# {}: {}\n", result.name, result.error);
    for (const std::string& line : result.evidence) fmt::print("# {}\n", line);
    fmt::print("# {}: {:.2f} ms\n{} {} {}{}\n", result.name, milliseconds(result.duration),
               result.failed() ? "not ok" : "ok", counts_.all(), result.name,
               result.passed() || result.failed() ? "" : " # SKIP " + result.skipped);
    std::fflush(stdout);
  }

  void end(const Summary&) override {
    while (counts_.all() < steps_.size()) {
      const std::string& name = steps_[counts_.all()];
      ++counts_.skipped;
      fmt::print("ok {} {} # SKIP not reached\n", counts_.all(), name);
    }
    fmt::print("# Totals: pass:{} fail:{} skip:{}\n", counts_.passed, counts_.failed, counts_.skipped);
  }

 private:
  std::vector<std::string> steps_;
  Counts counts_;
};

class JsonReporter final : public Reporter {
 public:
  void begin(const std::string& title, const std::vector<std::string>& steps) override {
    json_["title"] = title;
    json_["steps"] = Json::array();
    total_ = steps.size();
  }

  void step(const StepResult& result) override {
    counts_.add(result);
    Json row{{"name", result.name},
             {"result", result.passed()   ? "pass"
                        : result.failed() ? "fail"
                                          : "skip"},
             {"ms", milliseconds(result.duration)}};
    if (result.failed()) row["error"] = result.error;
    if (!result.skipped.empty()) row["skipped"] = result.skipped;
    row.update(result.details);
    json_["steps"].push_back(std::move(row));
  }

  void end(const Summary& summary) override {
    json_["passed"] = counts_.passed;
    json_["failed"] = counts_.failed;
    json_["skipped"] = counts_.skipped + (total_ - counts_.all());
    json_.update(summary.details);
    fmt::print("{}\n", json_.dump(2, ' ', false, Json::error_handler_t::replace));
  }

 private:
  Json json_;
  Counts counts_;
  size_t total_ = 0;
};

/// The same to several reporters.
class Tee final : public Reporter {
 public:
  explicit Tee(std::vector<std::unique_ptr<Reporter>> reporters) : reporters_(std::move(reporters)) {}

  void begin(const std::string& title, const std::vector<std::string>& steps) override {
    for (const auto& reporter : reporters_) reporter->begin(title, steps);
  }
  void step(const StepResult& result) override {
    for (const auto& reporter : reporters_) reporter->step(result);
  }
  void end(const Summary& summary) override {
    for (const auto& reporter : reporters_) reporter->end(summary);
  }

 private:
  std::vector<std::unique_ptr<Reporter>> reporters_;
};

std::unique_ptr<Reporter> make_stdout_reporter(OutputFormat format) {
  if (format == OutputFormat::json) return std::make_unique<JsonReporter>();
  if (format == OutputFormat::ktap) return std::make_unique<KtapReporter>();
  return std::make_unique<HumanReporter>();
}

}  // namespace

std::unique_ptr<Reporter> make_reporter(OutputFormat format, const std::string& junit) {
  if (junit.empty()) return make_stdout_reporter(format);
  std::vector<std::unique_ptr<Reporter>> reporters;
  reporters.push_back(make_junit_reporter(junit));  // first: it may refuse
  reporters.push_back(make_stdout_reporter(format));
  return std::make_unique<Tee>(std::move(reporters));
}

}  // namespace harness
