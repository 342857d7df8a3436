// SPDX-License-Identifier: MIT
#include "hang/case.hpp"

#include <fmt/format.h>
#include <sys/utsname.h>

#include <algorithm>
#include <thread>

#include "hang/autopsy_run.hpp"
#include "hang/guest_controls.hpp"
#include "hang/victim.hpp"
#include "ladder/kernel_log.hpp"
#include "ladder/process_snapshot.hpp"
#include "ladder/rung.hpp"
#include "ladder/rung_process.hpp"

namespace harness {
namespace {

using Clock = std::chrono::steady_clock;
using Json = nlohmann::ordered_json;
using namespace std::chrono_literals;

constexpr auto sample = 50ms;
constexpr auto preparation = 30s;
/// The autosuspend delay is 50 ms (panthor_device.c), but a suspend that fails takes the firmware's timeouts.
constexpr auto falls_asleep = 3s;
/// It looks twice, 2 s apart; the driver's job timeout (5 s, panthor_sched.c) must not end what there is to
/// see.
constexpr auto autopsy_at = 2500ms;
/// The death of a process ends its groups, each with the firmware's timeouts, behind a reset that may fail.
constexpr auto death_takes = 20s;
constexpr auto fresh_deadline = 12s;

class Stopwatch {
 public:
  [[nodiscard]] int64_t ms() const {
    return std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - start_).count();
  }
  [[nodiscard]] int64_t start_ns() const {
    return std::chrono::nanoseconds(start_.time_since_epoch()).count();
  }

 private:
  Clock::time_point start_ = Clock::now();
};

/// The lines of the kernel log that are about the GPU or a process in trouble; others are the lab's own
/// noise.
bool telling(const std::string& line) {
  constexpr std::string_view marks[] = {
      "panthor", "[drm]", "WARNING:", "BUG:", "Oops", "blocked for more than", "hung"};
  return line.find("panthor_vgpu") == std::string::npos &&
         std::ranges::any_of(marks,
                             [&](std::string_view mark) { return line.find(mark) != std::string::npos; });
}

void note_log(Json& lines, KernelLog& log, int64_t ms) {
  for (const std::string& line : log.drain())
    if (telling(line)) lines.push_back({{"ms", ms}, {"text", line}});
}

Json fresh_process(const std::string& node) {
  const auto rungs = all_rungs();
  const RungResult result = run_rung(find_rung(rungs, "compute"), node, fresh_deadline);
  return {{"passed", result.passed()}, {"left_behind", result.evidence.abandoned}, {"error", result.error}};
}

Json examine(pid_t of, const Stopwatch& time) {
  Json said = run_autopsy(of);
  if (!said.is_null()) said["ms"] = time.ms();
  return said;
}

/// What is seen of the victim while it is watched.
void watch(Victim& victim, KernelLog& log, const CaseOptions& options, const Stopwatch& time, Json& seen) {
  const auto cpu_before = cpu_time(victim.pid());
  bool examined = false;
  while (time.ms() < options.watch.count()) {
    std::this_thread::sleep_for(sample);
    note_log(seen["log"], log, time.ms());
    if (seen["coredump_ms"].is_null() && has_coredump()) seen["coredump_ms"] = time.ms();
    if (const auto end = victim.ended()) {
      seen["end"] = {{"ms", time.ms()}, {"failed", end->failed}, {"text", end->text}};
      if (!examined) seen["autopsy"] = examine(0, time);
      return;
    }
    if (!examined && time.ms() >= autopsy_at.count()) {
      examined = true;
      seen["autopsy"] = examine(victim.pid(), time);
    }
  }
  const ProcessSnapshot process = snapshot_process(victim.pid());
  seen["process"] = {{"state", std::string(1, process.state)},
                     {"cpu_ms", (cpu_time(victim.pid()) - cpu_before).count()},
                     {"wchan", process.wchan},
                     {"stack", process.stack}};
}

}  // namespace

Json play(const HangCase& hang, const CaseOptions& options) {
  utsname system{};
  ::uname(&system);
  Json seen = {{"name", hang.name},        {"stage", hang.stage},        {"faults", hang.faults},
               {"plant", hang.plant},      {"workload", hang.workload},  {"asleep", hang.asleep},
               {"kernel", system.release}, {"detector", has_detector()}, {"watch_ms", options.watch.count()},
               {"log", Json::array()},     {"coredump_ms", nullptr},     {"end", nullptr},
               {"process", nullptr},       {"autopsy", nullptr}};
  const Stopwatch whole;
  Causes causes(hang.faults, hang.plant);
  const Tracing tracing(options.trace_file);

  Victim victim(find_workload(hang.workload), options.node);
  if (!victim.wait_ready(preparation)) {
    const auto end = victim.ended();
    throw std::runtime_error(
        fmt::format("{}: the workload could not be prepared: {}", hang.name, end ? end->text : "it hangs"));
  }
  KernelLog log;
  causes.arm();
  if (hang.asleep) std::this_thread::sleep_for(falls_asleep);
  mark_model_log("start");
  const Stopwatch time;
  seen["start_ns"] = time.start_ns();
  victim.go();
  watch(victim, log, options, time, seen);

  const int64_t killed_at = time.ms();
  const bool died = victim.kill(death_takes);
  seen["death"] = {{"died", died}, {"ms", time.ms() - killed_at}};
  if (!died) {
    const ProcessSnapshot process = snapshot_process(victim.pid());
    seen["death"]["state"] = std::string(1, process.state);
    seen["death"]["stack"] = process.stack;
  }
  seen["fresh"] = fresh_process(options.node);
  causes.remove();
  seen["after"] = seen["fresh"]["passed"] ? seen["fresh"] : fresh_process(options.node);
  if (!died) seen["death"]["died_after"] = victim.kill(death_takes);
  note_log(seen["log"], log, time.ms());
  seen["total_ms"] = whole.ms();
  return seen;
}

}  // namespace harness
