// SPDX-License-Identifier: MIT
#include "ladder/ladder_report.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <cstring>
#include <nlohmann/json.hpp>
#include <sstream>

namespace harness {
namespace {

using Json = nlohmann::ordered_json;

constexpr size_t log_lines_shown = 12;

double milliseconds(std::chrono::nanoseconds duration) {
  return std::chrono::duration<double, std::milli>(duration).count();
}

const char* verdict(const RungResult& result) {
  if (result.skipped()) return "skip";
  return result.passed() ? "pass" : "fail";
}

std::string describe_fence(const Facts& facts) {
  if (!facts.wait_timed_out) return facts.slow ? "signalled by the job timeout" : "signalled";
  return facts.signalled_late ? "signalled, but the wait did not see it" : "not signalled";
}

std::string describe_group(const Facts& facts) {
  if (!facts.group_timed_out && !facts.group_fatal) return "usable";
  return fmt::format("{}{}", facts.group_timed_out ? "timed out " : "",
                     facts.group_fatal ? "fatal fault" : "");
}

class HumanReport final : public LadderReport {
 public:
  void begin(const std::string& title, size_t) override {
    fmt::print("{}\n", title);
    std::fflush(stdout);
  }

  void rung(const RungResult& result) override {
    const bool failed = !result.passed() && !result.skipped();
    fmt::print("  {}  {:<15} {:>9.2f} ms  {}\n", failed ? "FAIL" : verdict(result), result.name,
               milliseconds(result.duration), result.passed() ? result.description : result.error);
    if (failed) {
      fmt::print("\nfirst failing rung: {} ({})\n", result.name, result.description);
      fmt::print("stage: {}, {}\n", stage_name(result.stage), stage_meaning(result.stage));
      fmt::print("waited for: {}\n", result.waiting_for);
      for (const std::string& line : describe_evidence(result)) fmt::print("  {}\n", line);
    }
    std::fflush(stdout);
  }

  void end(const Climb& climb) override {
    if (climb.passed())
      fmt::print("{} rungs climbed\n", climb.results.size());
    else
      fmt::print("stopped at rung {} of {}: {}\n", climb.results.size(), climb.rungs, climb.first_failing);
  }
};

class KtapReport final : public LadderReport {
 public:
  void begin(const std::string& title, size_t rungs) override {
    fmt::print("KTAP version 1\n# {}\n1..{}\n", title, rungs);
    std::fflush(stdout);
  }

  void rung(const RungResult& result) override {
    ++number_;
    ++(result.skipped() ? skipped_ : result.passed() ? passed_ : failed_);
    const bool failed = !result.passed() && !result.skipped();
    if (failed) {
      fmt::print("# {}: {}\n# stage {}: {}\n# waited for: {}\n", result.name, result.error,
                 stage_name(result.stage), stage_meaning(result.stage), result.waiting_for);
      for (const std::string& line : describe_evidence(result)) fmt::print("# {}\n", line);
    }
    fmt::print("{} {} {}{}\n", failed ? "not ok" : "ok", number_, result.name,
               result.skipped() ? " # SKIP " + result.error : "");
    std::fflush(stdout);
  }

  void end(const Climb& climb) override {
    for (size_t i = number_; i < climb.rungs; ++i) {
      fmt::print("ok {} rung # SKIP the one below it failed\n", i + 1);
      ++skipped_;
    }
    fmt::print("# Totals: pass:{} fail:{} skip:{}\n", passed_, failed_, skipped_);
  }

 private:
  size_t number_ = 0;
  unsigned passed_ = 0;
  unsigned failed_ = 0;
  unsigned skipped_ = 0;
};

class JsonReport final : public LadderReport {
 public:
  void begin(const std::string& title, size_t) override { json_["title"] = title; }

  void rung(const RungResult& result) override {
    Json row{{"name", result.name}, {"result", verdict(result)}, {"ms", milliseconds(result.duration)}};
    if (!result.passed()) row["error"] = result.error;
    if (!result.passed() && !result.skipped()) {
      row["stage"] = stage_name(result.stage);
      row["waited_for"] = result.waiting_for;
      row["evidence"] = evidence(result.evidence);
    }
    json_["rungs"].push_back(std::move(row));
  }

  void end(const Climb& climb) override {
    json_["first_failing"] = climb.passed() ? Json() : Json(climb.first_failing);
    json_["total"] = climb.rungs;
    fmt::print("{}\n", json_.dump(2, ' ', false, Json::error_handler_t::replace));
  }

 private:
  static Json evidence(const Evidence& evidence) {
    const Facts& facts = evidence.facts;
    Json json{{"errno", facts.error},
              {"fence", facts.wait_timed_out || facts.slow ? Json(describe_fence(facts)) : Json()},
              {"point", facts.point},
              {"dependency_unsignalled", facts.dependency_unsignalled},
              {"started", facts.has_marks ? Json(facts.started) : Json()},
              {"finished", facts.has_marks ? Json(facts.finished) : Json()},
              {"group", facts.has_group ? Json(describe_group(facts)) : Json()},
              {"stuck", evidence.stuck},
              {"abandoned", evidence.abandoned},
              {"interrupts", evidence.interrupts},
              {"kernel_log", evidence.kernel_log_readable ? Json(evidence.kernel_log) : Json()}};
    if (evidence.process)
      json["process"] = {{"pid", evidence.process->pid},
                         {"state", std::string(1, evidence.process->state)},
                         {"wchan", evidence.process->wchan},
                         {"syscall", evidence.process->syscall},
                         {"stack", evidence.process->stack}};
    if (evidence.fresh_process)
      json["fresh_process"] = evidence.fresh_process->empty() ? "computes" : *evidence.fresh_process;
    return json;
  }

  Json json_{{"rungs", Json::array()}};
};

void describe_process(const Evidence& evidence, std::vector<std::string>& lines) {
  if (!evidence.process) return;
  const ProcessSnapshot& process = *evidence.process;
  lines.push_back(fmt::format("process {}: state {}, wchan {}, syscall {}{}", process.pid, process.state,
                              process.wchan, process.syscall,
                              evidence.abandoned ? "; SIGKILL did not end it, it is left behind" : ""));
  std::istringstream stack(process.stack);
  for (std::string line; std::getline(stack, line);) lines.push_back("  " + line);
}

}  // namespace

std::vector<std::string> describe_evidence(const RungResult& result) {
  const Evidence& evidence = result.evidence;
  const Facts& facts = evidence.facts;
  std::vector<std::string> lines;
  if (facts.error != 0)
    lines.push_back(fmt::format("errno: {} ({})", facts.error, std::strerror(facts.error)));
  if (facts.wait_timed_out || facts.slow) lines.push_back("fence: " + describe_fence(facts));
  if (facts.point != 0) lines.push_back(fmt::format("timeline: point {} reached", facts.point));
  if (facts.dependency_unsignalled) lines.push_back("what it depends on: not signalled");
  if (facts.has_marks)
    lines.push_back(fmt::format("stream: {}", facts.finished  ? "ran to its end"
                                              : facts.started ? "began, did not end"
                                                              : "did not begin"));
  if (facts.has_group) lines.push_back("group: " + describe_group(facts));
  describe_process(evidence, lines);
  if (!evidence.interrupts.empty()) lines.push_back("interrupts: " + evidence.interrupts);
  if (evidence.fresh_process)
    lines.push_back(evidence.fresh_process->empty() ? "a fresh process: computes"
                                                    : "a fresh process: " + *evidence.fresh_process);
  if (!evidence.kernel_log_readable) lines.push_back("kernel log: not readable (run as root to see it)");
  const size_t count = evidence.kernel_log.size();
  for (size_t i = count > log_lines_shown ? count - log_lines_shown : 0; i < count; ++i)
    lines.push_back("kernel log: " + evidence.kernel_log[i]);
  return lines;
}

std::unique_ptr<LadderReport> make_ladder_report(OutputFormat format) {
  if (format == OutputFormat::json) return std::make_unique<JsonReport>();
  if (format == OutputFormat::ktap) return std::make_unique<KtapReport>();
  return std::make_unique<HumanReport>();
}

}  // namespace harness
