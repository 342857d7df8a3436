// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>

#include "autopsy/rules.hpp"
#include "ladder/log_stage.hpp"
#include "panthor/record.hpp"

namespace harness::autopsy {
namespace {

using Effect = Rule::Effect;

/// The driver's job timeout (JOB_TIMEOUT_MS, panthor_sched.c) and what its handling takes.
constexpr double timeout_has_fired_s = 7;
constexpr std::string_view job_timeout_text = "job timeout";

/// What it means when a kernel thread stands still in a function (panthor_*.c, gpu_scheduler.c).
struct WorkerRow {
  std::string_view function;
  StageSet stages;
  std::string_view meaning;
};

const WorkerRow worker_rows[] = {
    {"panthor_device_resume", {Stage::refused}, "the GPU is being resumed"},
    {"panthor_device_suspend", {Stage::refused}, "the GPU is being suspended"},
    {"panthor_device_reset_work", {Stage::no_slot}, "a reset does not end; nothing is scheduled meanwhile"},
    {"panthor_vm_bind_run_job", {Stage::dependency}, "a VM_BIND does not end"},
    {"panthor_fw_ping_work", {Stage::executing}, "the firmware does not answer a ping"},
    {"tick_work", {Stage::no_slot}, "the scheduler's tick does not end"},
    {"process_fw_events_work", {Stage::completion}, "events of the firmware are not handled"},
    {"sync_upd_work", {Stage::completion}, "sync updates are not handled"},
    {"group_sync_upd_work", {Stage::completion}, "sync updates of a group are not handled"},
    {"group_term_work", {Stage::no_slot}, "a group does not terminate"},
    {"drm_sched_job_timedout", {Stage::no_slot}, "the job timeout does not end"},
    {"drm_sched_run_job_work", {Stage::refused}, "run_job does not return"},
};

std::vector<std::string> texts(const std::vector<KernelMessage>& messages) {
  std::vector<std::string> lines;
  for (const KernelMessage& message : messages) lines.push_back(message.text);
  return lines;
}

const WorkerRow* row_of(const Worker& worker) {
  const auto it = std::ranges::find_if(
      worker_rows, [&](const WorkerRow& row) { return worker.function.starts_with(row.function); });
  return it == std::ranges::end(worker_rows) ? nullptr : &*it;
}

std::optional<Sign> stuck_worker(const Facts& facts) {
  for (const Worker& worker : facts.workers)
    if (const WorkerRow* row = row_of(worker))
      return Sign{fmt::format("kernel thread {} ({}) stands still in {}: {}", worker.pid, worker.comm,
                              worker.function, row->meaning),
                  row->stages,
                  {}};
  return std::nullopt;
}

std::optional<Sign> other_workers(const Facts& facts) {
  for (const Worker& worker : facts.workers)
    if (row_of(worker) == nullptr)
      return Sign{
          fmt::format("kernel thread {} ({}) stands still in {}", worker.pid, worker.comm, worker.function)};
  return std::nullopt;
}

std::optional<Sign> power_error(const Facts& facts) {
  if (facts.power_after.runtime_status != "error") return std::nullopt;
  return Sign{"runtime power management is in error: a suspend or resume of the GPU failed", {}, "resume"};
}

std::optional<Sign> power_transition(const Facts& facts) {
  const std::string& status = facts.power_after.runtime_status;
  if (status != facts.power_before.runtime_status || (status != "resuming" && status != "suspending"))
    return std::nullopt;
  return Sign{fmt::format("the GPU is {} all the time", status), {}, "resume"};
}

std::optional<Sign> asleep_gpu(const Facts& facts) {
  if (!facts.waiter || !stayed_suspended(facts.power_before, facts.power_after)) return std::nullopt;
  return Sign{fmt::format(
      "the GPU was powered off all {:.1f} s: nothing is on a slot (S6 only if blocked, S7 only if the "
      "job's seqno was never written)",
      facts.window_s)};
}

std::optional<Sign> busy_gpu(const Facts& facts) {
  const bool idle_lines = facts.interrupts("job") == 0u;
  if (!facts.waiter || !idle_lines || facts.power_after.control != "auto" ||
      !stayed_active(facts.power_before, facts.power_after))
    return std::nullopt;
  return Sign{
      fmt::format("the GPU was kept awake all {:.1f} s and no job ended: the driver holds one for unfinished",
                  facts.window_s)};
}

std::optional<Sign> no_timeout(const Facts& facts) {
  if (!facts.waiter || !facts.waiter->exact || facts.waiter->seconds < timeout_has_fired_s ||
      !facts.log_readable)
    return std::nullopt;
  const double since = facts.uptime_s - facts.waiter->seconds - 1;
  for (const KernelMessage& message : facts.log)
    if (message.seconds >= since && message.text.find(job_timeout_text) != std::string::npos)
      return std::nullopt;
  return Sign{fmt::format("{:.0f} s and no \"job timeout\" in the log: it fires after 5 s on a slot",
                          facts.waiter->seconds)};
}

/// The log since the wait began; without a waiter, all of it that is no history.
std::vector<KernelMessage> log_of_the_hang(const Facts& facts) {
  constexpr double before_s = 1;
  std::vector<KernelMessage> messages = facts.recent_log();
  if (facts.waiter)
    std::erase_if(messages, [&](const KernelMessage& message) {
      return message.seconds < facts.uptime_s - facts.waiter->seconds - before_s;
    });
  return messages;
}

std::optional<Sign> log_line(const Facts& facts) {
  const auto found = stage_from_log(texts(log_of_the_hang(facts)));
  if (!found) return std::nullopt;
  return Sign{"kernel log: " + found->line, {found->stage}, {}};
}

/// What went wrong before the wait may be why.
std::optional<Sign> earlier_line(const Facts& facts) {
  const auto found = stage_from_log(texts(facts.log));
  if (!facts.waiter || !found || log_line(facts)) return std::nullopt;
  return Sign{"kernel log, before this wait began: " + found->line};
}

/// "… stall: stage=S4 cause=no-tick by=stall group=3 …", of the waiter's process if there is one; the newest.
std::optional<Sign> stall_line(const Facts& facts) {
  constexpr std::string_view key = "stall: ";
  std::optional<Sign> sign;
  for (const KernelMessage& message : facts.recent_log()) {
    const auto at = message.text.find(key);
    if (at == std::string::npos) continue;
    const auto record = panthor::Record::parse(std::string_view(message.text).substr(at));
    const StageSet stages = stage_by_name(record.text_or("stage", ""));
    if (stages.empty() || (facts.waiter && record.number<int>("pid") != facts.waiter->pid)) continue;
    sign = Sign{"kernel log: " + message.text.substr(at), stages, std::string(record.text_or("cause", ""))};
  }
  return sign;
}

std::optional<Sign> timeout_line(const Facts& facts) {
  std::optional<Sign> sign;
  for (const KernelMessage& message : log_of_the_hang(facts))
    if (message.text.find(job_timeout_text) != std::string::npos)
      sign =
          Sign{fmt::format("kernel log, {:.0f} s ago: {}", facts.uptime_s - message.seconds, message.text)};
  return sign;
}

std::optional<Sign> coredump(const Facts& facts) {
  if (facts.coredumps.empty()) return std::nullopt;
  const panthor::Record* why = facts.coredumps.back().first("why");
  if (why == nullptr) return std::nullopt;
  return Sign{fmt::format("devcoredump: stage={} cause={} by={} pid={}", why->text_or("stage", "?"),
                          why->text_or("cause", "?"), why->text_or("by", "?"), why->text_or("pid", "?")),
              stage_by_name(why->text_or("stage", "")), std::string(why->text_or("cause", ""))};
}

std::optional<Sign> probe_failed(const Facts& facts) {
  if (!facts.probe || facts.probe->passed() || facts.probe->skipped()) return std::nullopt;
  return Sign{"a fresh process meets it too: " + facts.probe->error, {facts.probe->stage}, {}};
}

bool probe_was_prompt(const RungResult& probe) {
  constexpr auto prompt = std::chrono::milliseconds(500);
  return probe.duration <= prompt;
}

std::optional<Sign> probe_passed(const Facts& facts) {
  if (!facts.probe || !facts.probe->passed() || !probe_was_prompt(*facts.probe)) return std::nullopt;
  return Sign{"a fresh process computes: power and firmware work"};
}

/// Its fence had to wait for somebody's timeout, or for a tick that looked at all slots.
std::optional<Sign> probe_late(const Facts& facts) {
  if (!facts.probe || !facts.probe->passed() || probe_was_prompt(*facts.probe)) return std::nullopt;
  return Sign{
      fmt::format("a fresh process computes, but its fence signals only after {:.1f} s: the driver is not "
                  "told that jobs end",
                  std::chrono::duration<double>(facts.probe->duration).count())};
}

std::optional<Sign> no_driver(const Facts& facts) {
  if (facts.node.empty() || !facts.driver.empty() || !facts.driver_loaded) return std::nullopt;
  return Sign{fmt::format("panthor is loaded, but its probe of {} failed", facts.node)};
}

std::optional<Sign> interrupts(const Facts& facts) {
  if (facts.interrupts_after.empty() || !facts.waiter) return std::nullopt;
  return Sign{fmt::format("interrupts in {:.1f} s: {}", facts.window_s,
                          describe_change(facts.interrupts_before, facts.interrupts_after))};
}

std::optional<Sign> blocked_files(const Facts& facts) {
  if (facts.blocked_files.empty()) return std::nullopt;
  std::string names;
  for (const std::string& name : facts.blocked_files) names += (names.empty() ? "" : ", ") + name;
  return Sign{fmt::format("reading {} does not return: a lock of a VM or a buffer is held", names)};
}

constexpr StageSet on_a_slot = {Stage::not_fetched, Stage::executing, Stage::completion};
/// A group that is blocked on a sync object, or ended without writing its seqno, is idle to the driver: the
/// GPU may sleep meanwhile.
constexpr StageSet on_a_slot_for_sure = {Stage::not_fetched};
/// Not S2: a tick that waits in a starved workqueue keeps the GPU awake too.
constexpr StageSet before_or_behind_the_driver = {Stage::dependency, Stage::wake_up};

constexpr Rule table[] = {
    {"stall-line", Effect::names, {}, Confidence::certain, stall_line},
    {"log-line", Effect::names, {}, Confidence::likely, log_line},
    {"power-error", Effect::names, {Stage::refused}, Confidence::likely, power_error},
    {"power-transition", Effect::names, {Stage::refused}, Confidence::likely, power_transition},
    {"stuck-worker", Effect::names, {}, Confidence::likely, stuck_worker},
    {"coredump", Effect::names, {}, Confidence::likely, coredump},
    {"probe-failed", Effect::names, {}, Confidence::likely, probe_failed},
    {"probe-late", Effect::names, {Stage::completion}, Confidence::likely, probe_late},
    {"no-driver", Effect::names, {Stage::refused}, Confidence::possible, no_driver},
    {"timeout-line", Effect::names, on_a_slot, Confidence::possible, timeout_line},
    {"busy-gpu", Effect::rules_out, before_or_behind_the_driver, Confidence::likely, busy_gpu},
    {"asleep-gpu", Effect::rules_out, on_a_slot_for_sure, Confidence::certain, asleep_gpu},
    {"no-timeout", Effect::rules_out, on_a_slot, Confidence::likely, no_timeout},
    {"probe-passed",
     Effect::rules_out,
     {Stage::refused, Stage::completion},
     Confidence::likely,
     probe_passed},
    {"earlier-line", Effect::tells, {}, Confidence::possible, earlier_line},
    {"interrupts", Effect::tells, {}, Confidence::possible, interrupts},
    {"blocked-files", Effect::tells, {}, Confidence::possible, blocked_files},
    {"other-workers", Effect::tells, {}, Confidence::possible, other_workers},
};

}  // namespace

std::span<const Rule> machine_rules() {
  return table;
}

}  // namespace harness::autopsy
