// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "autopsy/rules.hpp"

namespace harness::autopsy {
namespace {

using Effect = Rule::Effect;
using panthor::HangDump;
using panthor::Record;

constexpr unsigned longest_chain = 16;

/// What of the dump shows that a job stands at a stage (docs/hang-dump.md).
struct DetailRow {
  std::string_view stage;
  std::string_view record;
  std::array<std::string_view, 8> keys;
};

constexpr DetailRow details[] = {
    {"S0", "locks", {"sched", "reset", "slots", "vms", "mmio", "unplug"}},
    {"S0", "reset", {"pending", "in_progress", "queued", "age_ms"}},
    {"S1", "vm", {"id", "op_running_ms", "op_locked", "binds_queued", "bind_paused", "unusable"}},
    {"S2", "queue", {"backlog", "run", "credits", "credit_limit", "paused"}},
    {"S3", "device", {"pm", "rpm", "usage", "resume_failed", "unplugged"}},
    {"S3", "locks", {"sched", "reset", "slots", "vms"}},
    {"S3", "mcu", {"booted", "status", "irq"}},
    {"S4",
     "sched",
     {"used_slots", "slots", "ticks", "tick_age_ms", "tick_running", "tick_queued", "tick_stopped",
      "pm_ref"}},
    {"S4", "group", {"state", "slot", "listed", "waiting", "idle", "blocked", "priority", "bound_ms"}},
    {"S4", "reset", {"pending", "in_progress", "queued", "count", "failed"}},
    {"S5", "queue", {"insert", "extract", "doorbell", "active", "timer", "timer_ms"}},
    {"S5", "slot", {"id", "req", "ack", "pending", "db_req", "db_ack", "status_state"}},
    {"S6", "queue", {"insert", "extract", "active", "timer", "timer_ms", "moved_ms"}},
    {"S6", "cs", {"cmd_ptr", "wait", "blocked", "scoreboards", "sync_ptr", "sync_value", "fault", "fatal"}},
    {"S6", "syncwait", {"va", "ref", "cond", "value", "checked_ms"}},
    {"S6", "as", {"id", "status", "faultstatus", "faultaddress"}},
    {"S7", "job", {"wanted", "seen", "done"}},
    {"S7", "mcu", {"irq", "mask", "rawstat", "int_mask"}},
    {"S7", "sched", {"events_queued", "fw_events", "sync_queued"}},
};

bool of_queue(const Record& record, const HangDump::Job& job) {
  return record.number("group") == job.job->number("group") &&
         record.number("queue") == job.job->number("queue");
}

/// The `name` record that belongs to `job`.
const Record* record_of(const HangDump& dump, const HangDump::Job& job, std::string_view name) {
  if (name == "job") return job.job;
  if (name == "queue") return job.queue;
  if (name == "group") return job.group;
  if (name == "vm") return job.vm;
  if (name == "as") {
    const auto id = job.vm ? job.vm->number("as") : std::nullopt;
    return id ? dump.find("as", "id", *id) : nullptr;
  }
  if (name == "slot") {
    const auto id = job.group ? job.group->number("slot") : std::nullopt;
    return id ? dump.find("slot", "id", *id) : nullptr;
  }
  if (name == "cs") {
    const auto id = job.group ? job.group->number("slot") : std::nullopt;
    for (const Record* record : dump.all("cs"))
      if (id && record->number("slot") == id && record->number("queue") == job.job->number("queue"))
        return record;
    return nullptr;
  }
  if (name == "syncwait") {
    for (const Record* record : dump.all("syncwait"))
      if (of_queue(*record, job)) return record;
    return nullptr;
  }
  return dump.first(name);
}

std::string describe_details(const HangDump& dump, const HangDump::Job& job) {
  std::string text;
  for (const DetailRow& row : details) {
    const Record* record = row.stage == job.stage() ? record_of(dump, job, row.record) : nullptr;
    if (record == nullptr) continue;
    text += (text.empty() ? "" : "; ") + std::string(row.record);
    for (const std::string_view key : row.keys)
      if (!key.empty() && record->text(key)) text += fmt::format(" {}={}", key, *record->text(key));
  }
  return text;
}

/// "panthor-queue-CLIENT-GROUP-QUEUE", as the driver names the fence of a queue.
std::string timeline_of(const HangDump::Job& job) {
  if (job.group == nullptr) return "";
  return fmt::format("panthor-queue-{}-{}-{}", job.group->text_or("client", "?"),
                     job.group->text_or("handle", "?"), job.job->text_or("queue", "?"));
}

const HangDump::Job* same_job(const std::vector<HangDump::Job>& jobs, const HangDump::Job& job) {
  const auto it = std::ranges::find_if(
      jobs, [&](const HangDump::Job& other) { return other.job->number("job") == job.job->number("job"); });
  return it == jobs.end() ? nullptr : &*it;
}

/// The job to ask about: the oldest unfinished one of the queue the waiter waits for, else of its process,
/// else (nobody sleeps) one that stood still for longer than a wait may take.
const HangDump::Job* chosen(const Facts& facts, const std::vector<HangDump::Job>& jobs,
                            const std::vector<HangDump::Job>& before) {
  const auto timelines = awaited_timelines(facts);
  const HangDump::Job* of_process = nullptr;
  const HangDump::Job* still = nullptr;
  for (const HangDump::Job& job : jobs) {
    if (job.finished()) continue;
    if (std::ranges::find(timelines, timeline_of(job)) != timelines.end()) return &job;
    if (facts.waiter && job.pid() == facts.waiter->pid && of_process == nullptr) of_process = &job;
    const HangDump::Job* old = same_job(before, job);
    const bool long_enough = job.age_ms() && std::chrono::milliseconds(*job.age_ms()) >= facts.options.after;
    if (still == nullptr && old != nullptr && long_enough && old->stage() == job.stage() &&
        (facts.options.pid == 0 || job.pid() == facts.options.pid))
      still = &job;
  }
  if (!facts.waiter) return still;
  // What it waits for is known, and is no job of a queue.
  const bool known = facts.client && !facts.client->targets.empty();
  return known ? nullptr : of_process;
}

std::string name_of(const HangDump::Job& job) {
  return fmt::format("job {} of {}", job.job->text_or("job", "?"), timeline_of(job));
}

/// The job whose fence `in_fence` is.
const HangDump::Job* job_of(const std::vector<HangDump::Job>& jobs, const Record& in_fence) {
  for (const HangDump::Job& job : jobs)
    if (job.job->number("context") == in_fence.number("context") &&
        job.job->number("seqno") == in_fence.number("seqno"))
      return &job;
  return nullptr;
}

/// Where the job really stands: a job in S1 that waits for another of the driver's jobs stands where that one
/// does.
std::optional<Sign> dumped_job(const Facts& facts) {
  if (!facts.dump || (facts.waiter && facts.waiter->thread.activity == Activity::in_driver))
    return std::nullopt;
  const auto jobs = facts.dump->jobs();
  const auto before = facts.dump_before ? facts.dump_before->jobs() : std::vector<HangDump::Job>{};
  const HangDump::Job* job = chosen(facts, jobs, before);
  if (job == nullptr || stage_by_name(job->stage()).empty()) return std::nullopt;
  std::string text = fmt::format("hang dump: {}", name_of(*job));
  for (unsigned i = 0; i < longest_chain && job->stage() == "S1" && !job->in_fences.empty(); ++i) {
    const Record& fence = *job->in_fences.front();
    text += fmt::format(" waits for fence {}:{} of {} ({})", fence.text_or("context", "?"),
                        fence.text_or("seqno", "?"), fence.text_or("driver", "?"),
                        fence.text_or("timeline", "?"));
    const HangDump::Job* other = job_of(jobs, fence);
    if (other == nullptr || other == job) break;
    job = other;
    text += fmt::format(", which is {}", name_of(*job));
  }
  text += fmt::format(" at {} {}", job->stage(), job->cause());
  if (const std::string more = describe_details(*facts.dump, *job); !more.empty()) text += ": " + more;
  return Sign{std::move(text), stage_by_name(job->stage()), std::string(job->cause())};
}

std::optional<Sign> nothing_left(const Facts& facts) {
  const bool waits = facts.waiter && facts.waiter->thread.activity == Activity::in_fence;
  if (!facts.dump || !facts.dump->complete() || !waits || !facts.client || !awaited_timelines(facts).empty())
    return std::nullopt;
  for (const HangDump::Job& job : facts.dump->jobs())
    if (!job.finished() && job.pid() == facts.waiter->pid) return std::nullopt;
  return Sign{"hang dump: the driver has no unfinished job of this process"};
}

std::optional<Sign> held_locks(const Facts& facts) {
  const Record* locks = facts.dump ? facts.dump->first("locks") : nullptr;
  const Record* old = facts.dump_before ? facts.dump_before->first("locks") : nullptr;
  if (locks == nullptr || old == nullptr) return std::nullopt;
  std::string names;
  for (const auto& [key, value] : locks->fields())
    if (locks->set(key) && old->set(key)) names += (names.empty() ? "" : ", ") + key;
  if (names.empty()) return std::nullopt;
  return Sign{fmt::format("hang dump: held in both looks, {:.1f} s apart: {}", facts.window_s, names)};
}

constexpr Rule table[] = {
    {"dumped-job", Effect::names, {}, Confidence::certain, dumped_job},
    {"nothing-left", Effect::names, {Stage::wake_up}, Confidence::likely, nothing_left},
    {"held-locks", Effect::tells, {}, Confidence::possible, held_locks},
};

}  // namespace

std::span<const Rule> dump_rules() {
  return table;
}

}  // namespace harness::autopsy
