// SPDX-License-Identifier: MIT
#include "stress/stress_report.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "ladder/ladder_report.hpp"

namespace harness {
namespace {

using Json = nlohmann::ordered_json;

double milliseconds(std::chrono::nanoseconds duration) {
  return std::chrono::duration<double, std::milli>(duration).count();
}

StepResult kills(const StressOptions& options, const StressResult& result) {
  StepResult step;
  step.name = "kills";
  step.duration = result.slowest_death;
  step.description = fmt::format(
      "{} processes killed, {} with a job under way, {} between two calls of the driver; no wedge",
      result.kills, result.mid_job, result.own_deaths);
  if (!result.wedges.empty())
    step.error = fmt::format("{} wedges in {} kills", result.wedges.size(), result.kills);
  for (const Wedge& wedge : result.wedges) {
    const RungResult& what = wedge.what;
    step.evidence.push_back(
        fmt::format("wedge at step {}, worker {} ({}): {}", wedge.step, wedge.slot, what.name, what.error));
    step.evidence.push_back(
        fmt::format("  stage: {}, {}", stage_name(what.stage), stage_meaning(what.stage)));
    step.evidence.push_back("  waited for: " + what.waiting_for);
    for (const std::string& line : describe_evidence(what)) step.evidence.push_back("  " + line);
    step.evidence.push_back(wedge.recovered ? "  with all workers gone the GPU computes again"
                                            : "  with all workers gone the GPU still does not compute");
    step.evidence.push_back("  replay: panthor-harness stress " + replay_arguments(options, wedge));
  }
  return step;
}

StepResult fresh_process(const StressOptions&, const StressResult& result) {
  StepResult step;
  step.name = "fresh-process";
  step.duration = result.slowest_check;
  step.description = fmt::format("{} fresh processes computed, the last after the end", result.checks);
  if (!result.computes_at_end) step.error = "after the run a fresh process does not compute";
  return step;
}

StepResult memory_pressure(const StressOptions&, const StressResult& result) {
  StepResult step;
  step.name = "memory-pressure";
  step.description = fmt::format(
      "memory was scarce {} times, {} MiB swapped out{}, {} calls were refused for lack of memory",
      result.hogs, result.swapped_out >> 20,
      result.swapped_out == 0 ? " (without swap nothing is evicted)" : "", result.out_of_memory);
  return step;
}

StepResult suspend(const StressOptions&, const StressResult& result) {
  StepResult step;
  step.name = "suspend";
  step.description =
      fmt::format("the GPU was left alone {} times and suspended {} times", result.gaps, result.suspends);
  step.skipped = result.no_suspend;
  if (step.skipped.empty() && result.suspends == 0)
    step.skipped = fmt::format("the GPU was left alone {} times and never seen suspended", result.gaps);
  return step;
}

StepResult kernel_log(const StressOptions&, const StressResult& result) {
  StepResult step;
  step.name = "kernel-log";
  step.description = "the kernel did not warn";
  if (!result.warnings.empty()) step.error = "the kernel warned: " + result.warnings.front();
  if (!result.kernel_log_readable) step.skipped = "the kernel log is not readable (run as root to see it)";
  for (const std::string& line : result.warnings) step.evidence.push_back("  " + line);
  return step;
}

struct Row {
  std::string_view name;
  StepResult (*make)(const StressOptions&, const StressResult&);
  bool (*wanted)(const StressOptions&);
};

constexpr bool always(const StressOptions&) {
  return true;
}

constexpr Row table[] = {
    {"kills", kills, always},
    {"memory-pressure", memory_pressure, [](const StressOptions& o) { return o.plan.memory_pressure; }},
    {"suspend", suspend, [](const StressOptions& o) { return o.plan.suspend; }},
    {"fresh-process", fresh_process, always},
    {"kernel-log", kernel_log, always},
};

}  // namespace

std::string replay_arguments(const StressOptions& options, const Wedge& wedge) {
  const uint64_t first = std::max(wedge.checked + 1, options.first_step);
  return fmt::format("--seed {} --processes {} --groups {}{}{} --first-step {} --kills {}", options.plan.seed,
                     options.plan.processes, options.plan.groups,
                     options.plan.memory_pressure ? " --memory-pressure" : "",
                     options.plan.suspend ? " --suspend" : "", first, wedge.step + 1 - first);
}

std::vector<std::string> stress_step_names(const StressOptions& options) {
  std::vector<std::string> names;
  for (const Row& row : table)
    if (row.wanted(options)) names.emplace_back(row.name);
  return names;
}

std::vector<StepResult> stress_steps(const StressOptions& options, const StressResult& result) {
  std::vector<StepResult> steps;
  for (const Row& row : table)
    if (row.wanted(options)) steps.push_back(row.make(options, result));
  return steps;
}

Summary stress_summary(const StressOptions& options, const StressResult& result) {
  Json wedges = Json::array();
  for (const Wedge& wedge : result.wedges)
    wedges.push_back({{"step", wedge.step},
                      {"worker", wedge.slot},
                      {"part", wedge.what.name},
                      {"error", wedge.what.error},
                      {"stage", stage_name(wedge.what.stage)},
                      {"waited_for", wedge.what.waiting_for},
                      {"recovered", wedge.recovered},
                      {"replay", replay_arguments(options, wedge)}});
  return {fmt::format("seed {}: {} steps from {}, {} kills, {} wedges; a fresh process {}", options.plan.seed,
                      result.steps, options.first_step, result.kills, result.wedges.size(),
                      result.computes_at_end ? "computes" : "does not compute"),
          {{"seed", options.plan.seed},
           {"first_step", options.first_step},
           {"steps_done", result.steps},
           {"kills", result.kills},
           {"kills_mid_job", result.mid_job},
           {"own_deaths", result.own_deaths},
           {"checks", result.checks},
           {"slowest_death_ms", milliseconds(result.slowest_death)},
           {"slowest_check_ms", milliseconds(result.slowest_check)},
           {"out_of_memory", result.out_of_memory},
           {"swapped_out", result.swapped_out},
           {"gaps", result.gaps},
           {"suspends", result.suspends},
           {"computes_at_end", result.computes_at_end},
           {"wedges", wedges}}};
}

}  // namespace harness
