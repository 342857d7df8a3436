// SPDX-License-Identifier: MIT
#include "ladder/ladder_report.hpp"

#include <fmt/format.h>

#include <cstring>
#include <nlohmann/json.hpp>
#include <sstream>

namespace harness {
namespace {

using Json = nlohmann::ordered_json;

constexpr size_t log_lines_shown = 12;

std::string describe_fence(const Facts& facts) {
  if (!facts.wait_timed_out) return facts.slow ? "signalled by the job timeout" : "signalled";
  return facts.signalled_late ? "signalled, but the wait did not see it" : "not signalled";
}

std::string describe_group(const Facts& facts) {
  if (!facts.group_timed_out && !facts.group_fatal) return "usable";
  return fmt::format("{}{}", facts.group_timed_out ? "timed out " : "",
                     facts.group_fatal ? "fatal fault" : "");
}

Json evidence_json(const Evidence& evidence) {
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

StepResult rung_step(const RungResult& result) {
  StepResult step{result.name, result.description, result.duration, {}};
  if (result.skipped()) step.skipped = result.error;
  if (result.passed() || result.skipped()) return step;
  step.error = result.error;
  step.evidence = {fmt::format("first failing rung: {} ({})", result.name, result.description),
                   fmt::format("stage: {}, {}", stage_name(result.stage), stage_meaning(result.stage)),
                   "waited for: " + result.waiting_for};
  for (const std::string& line : describe_evidence(result)) step.evidence.push_back("  " + line);
  step.details = {{"stage", stage_name(result.stage)},
                  {"waited_for", result.waiting_for},
                  {"evidence", evidence_json(result.evidence)}};
  return step;
}

Summary climb_summary(const Climb& climb) {
  return {climb.passed() ? fmt::format("{} rungs climbed", climb.results.size())
                         : fmt::format("stopped at rung {} of {}: {}", climb.results.size(), climb.rungs,
                                       climb.first_failing),
          {{"first_failing", climb.passed() ? Json() : Json(climb.first_failing)}}};
}

}  // namespace harness
