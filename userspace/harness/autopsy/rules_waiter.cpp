// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>

#include "autopsy/rules.hpp"

namespace harness::autopsy {
namespace {

using Effect = Rule::Effect;
using State = Target::State;
using panthor::FenceLook;
using panthor::JobTrace;

constexpr std::string_view bind_timeline = "panthor-vm-bind";
constexpr std::string_view queue_prefix = "panthor-queue-";

bool waits_in_fence(const Facts& facts) {
  return facts.waiter && facts.waiter->thread.activity != Activity::in_driver;
}

std::string describe(const Target& target) {
  if (target.handle == 0) return "a sync_file";
  return target.point == 0 ? fmt::format("syncobj {}", target.handle)
                           : fmt::format("point {} of syncobj {}", target.point, target.handle);
}

std::string describe(const FenceLook& fence) {
  return fmt::format("{} of {}", fence.timeline.empty() ? "a fence without a name" : fence.timeline,
                     fence.driver);
}

bool of_queue(const FenceLook& fence) {
  return fence.timeline.starts_with(queue_prefix);
}
bool of_bind(const FenceLook& fence) {
  return fence.timeline == bind_timeline;
}

/// The targets in that state, if they explain the wait: all of them when one is enough for it to end, else
/// any.
const Target* explains(const Facts& facts, State state, bool any_is_enough) {
  if (!facts.client || !waits_in_fence(facts) || facts.client->targets.empty()) return nullptr;
  const auto& targets = facts.client->targets;
  const auto it = std::ranges::find(targets, state, &Target::state);
  if (it == targets.end()) return nullptr;
  return any_is_enough || std::ranges::all_of(targets, [&](const Target& t) { return t.state == state; })
             ? &*it
             : nullptr;
}

std::optional<Sign> in_driver(const Facts& facts) {
  if (!facts.waiter || facts.waiter->thread.activity != Activity::in_driver) return std::nullopt;
  return Sign{
      fmt::format("{} does not return; kernel function: {}", facts.waiter->thread.doing,
                  facts.waiter->thread.snapshot.wchan.empty() ? "?" : facts.waiter->thread.snapshot.wchan)};
}

std::optional<Sign> signalled_but_asleep(const Facts& facts) {
  const bool all = facts.client && facts.client->wait_all;
  const Target* target = explains(facts, State::signalled, !all);
  if (target == nullptr) return std::nullopt;
  return Sign{fmt::format("{} has signalled, yet the thread sleeps", describe(*target))};
}

std::optional<Sign> never_submitted(const Facts& facts) {
  const bool all = facts.client && facts.client->wait_all;
  const Target* target = explains(facts, State::never_submitted, all);
  if (target == nullptr || (all && explains(facts, State::pending, true) != nullptr)) return std::nullopt;
  return Sign{fmt::format("nobody has submitted what would signal {}: user space waits for the wrong thing",
                          describe(*target)),
              {},
              "never-submitted"};
}

/// A pending fence of the wait for which `wanted` holds.
std::optional<Sign> awaited(const Facts& facts, bool (*wanted)(const FenceLook&), std::string_view what) {
  if (!facts.client || !waits_in_fence(facts)) return std::nullopt;
  for (const Target& target : facts.client->targets)
    for (const FenceLook& fence : target.fences)
      if (wanted(fence))
        return Sign{fmt::format("{} has not signalled: {} ({})", describe(target), describe(fence), what)};
  return std::nullopt;
}

std::optional<Sign> waits_for_bind(const Facts& facts) {
  return awaited(facts, of_bind, "a VM_BIND, not a job");
}

std::optional<Sign> waits_for_foreign(const Facts& facts) {
  return awaited(
      facts, [](const FenceLook& fence) { return !of_bind(fence) && !of_queue(fence); },
      "panthor does not signal this one");
}

std::optional<Sign> waits_for_queue(const Facts& facts) {
  return awaited(facts, of_queue, "panthor-queue-CLIENT-GROUP-QUEUE");
}

/// An unsignalled fence among the process's syncobjs that no queue signals: the job may well wait for it.
std::optional<Sign> other_dependency(const Facts& facts) {
  if (!facts.client || !waits_for_queue(facts)) return std::nullopt;
  for (const panthor::SyncobjLook& look : facts.client->syncobjs)
    for (const FenceLook& fence : look.fences)
      if (fence.status == 0 && !of_queue(fence))
        return Sign{fmt::format("syncobj {} holds another fence that has not signalled: {}", look.handle,
                                describe(fence)),
                    {},
                    "in-fence"};
  return std::nullopt;
}

std::optional<Sign> past_the_ioctl(const Facts& facts) {
  if (!waits_in_fence(facts)) return std::nullopt;
  return Sign{fmt::format("the submit returned, the thread is in {}", facts.waiter->thread.doing)};
}

std::optional<Sign> target_pending(const Facts& facts) {
  const Target* target = explains(facts, State::pending, true);
  if (target == nullptr) return std::nullopt;
  return Sign{fmt::format("{} really has not signalled", describe(*target))};
}

std::optional<Sign> groups_blocked(const Facts& facts) {
  if (!facts.client || !facts.client->groups_blocked) return std::nullopt;
  return Sign{"GROUP_GET_STATE does not return: somebody holds the scheduler's lock (sched->lock)"};
}

std::optional<Sign> dead_group(const Facts& facts) {
  if (!facts.client) return std::nullopt;
  for (const panthor::GroupLook& group : facts.client->groups)
    if (group.timed_out || group.fatal_fault)
      return Sign{fmt::format(
          "group {} of the process is dead:{}{}{}", group.handle, group.timed_out ? " timed out" : "",
          group.fatal_fault ? fmt::format(" fatal fault on queues {:#x}", group.fatal_queues) : "",
          group.innocent ? " innocent" : "")};
  return std::nullopt;
}

std::optional<Sign> unusable_vm(const Facts& facts) {
  if (!facts.client) return std::nullopt;
  for (const panthor::VmLook& vm : facts.client->vms)
    if (!vm.usable)
      return Sign{fmt::format("VM {} of the process is unusable: an asynchronous VM_BIND failed", vm.id)};
  return std::nullopt;
}

/// The oldest traced job that has not ended, of the queue that is waited for if that is known.
const JobTrace* traced_job(const Facts& facts) {
  if (!facts.trace || !waits_in_fence(facts)) return nullptr;
  const auto timelines = awaited_timelines(facts);
  for (const JobTrace& job : facts.trace->jobs()) {
    if (job.done || !job.ring.starts_with(queue_prefix)) continue;
    if (timelines.empty() || std::ranges::find(timelines, job.ring) != timelines.end()) return &job;
  }
  return nullptr;
}

std::string name_of(const JobTrace& job) {
  return fmt::format("trace: job {}:{} of {}", job.fence.context, job.fence.seqno, job.ring);
}

std::optional<Sign> traced_dependency(const Facts& facts) {
  const JobTrace* job = traced_job(facts);
  if (job == nullptr || job->run) return std::nullopt;
  for (const panthor::FenceId& on : job->dependencies) {
    if (facts.trace->signalled(on) || (job->blocked_on && *job->blocked_on != on)) continue;
    const JobTrace* other = facts.trace->job(on);
    return Sign{fmt::format("{} waits for fence {}:{}{}", name_of(*job), on.context, on.seqno,
                            other != nullptr ? " of " + other->ring : ""),
                {},
                "in-fence"};
  }
  return std::nullopt;
}

std::optional<Sign> traced_not_run(const Facts& facts) {
  const JobTrace* job = traced_job(facts);
  if (job == nullptr || job->run || !job->queued || traced_dependency(facts)) return std::nullopt;
  return Sign{fmt::format("{} was queued, waits for no fence, and was not run", name_of(*job))};
}

std::optional<Sign> traced_in_run(const Facts& facts) {
  const JobTrace* job = traced_job(facts);
  if (job == nullptr || !job->run || job->pushed) return std::nullopt;
  return Sign{fmt::format("{} was handed to the driver, which did not put it into the ring", name_of(*job))};
}

std::optional<Sign> traced_pushed(const Facts& facts) {
  const JobTrace* job = traced_job(facts);
  if (job == nullptr || !job->pushed || job->driver_done) return std::nullopt;
  return Sign{fmt::format("{} was put into the ring, the driver has not seen its end", name_of(*job))};
}

/// A group that is new to the GPU starts on a slot with an interrupt, for the acknowledged START; with no
/// other job under way it was ours.
std::optional<Sign> traced_answer(const Facts& facts) {
  const JobTrace* job = traced_job(facts);
  if (job == nullptr || !job->pushed || job->driver_done) return std::nullopt;
  for (const JobTrace& other : facts.trace->jobs())
    if (other.ring != job->ring && other.run && !other.done) return std::nullopt;
  const unsigned answers = facts.trace->job_interrupts(*job->pushed);
  if (answers == 0) return std::nullopt;
  return Sign{
      fmt::format("trace: after that the firmware interrupted {} times: the group got its slot", answers)};
}

std::optional<Sign> traced_done(const Facts& facts) {
  const JobTrace* job = traced_job(facts);
  if (job == nullptr || !job->driver_done) return std::nullopt;
  return Sign{fmt::format("{}: the driver's fence signalled, the scheduler's did not", name_of(*job)),
              {},
              "not-finished"};
}

constexpr StageSet in_the_ring = {Stage::no_slot, Stage::not_fetched, Stage::executing, Stage::completion};

constexpr Rule table[] = {
    {"in-driver", Effect::names, {Stage::ioctl}, Confidence::certain, in_driver},
    {"signalled-but-asleep", Effect::names, {Stage::wake_up}, Confidence::certain, signalled_but_asleep},
    {"never-submitted", Effect::names, {Stage::wake_up}, Confidence::certain, never_submitted},
    {"waits-for-bind", Effect::names, {Stage::dependency}, Confidence::certain, waits_for_bind},
    {"waits-for-foreign", Effect::names, {Stage::dependency}, Confidence::certain, waits_for_foreign},
    {"traced-dependency", Effect::names, {Stage::dependency}, Confidence::certain, traced_dependency},
    {"traced-not-run", Effect::names, {Stage::queued}, Confidence::likely, traced_not_run},
    {"traced-in-run", Effect::names, {Stage::refused}, Confidence::likely, traced_in_run},
    {"traced-pushed", Effect::names, in_the_ring, Confidence::likely, traced_pushed},
    {"traced-answer",
     Effect::names,
     {Stage::not_fetched, Stage::executing, Stage::completion},
     Confidence::likely,
     traced_answer},
    {"traced-done", Effect::names, {Stage::wake_up}, Confidence::likely, traced_done},
    {"other-dependency", Effect::names, {Stage::dependency}, Confidence::likely, other_dependency},
    {"waits-for-queue", Effect::tells, {}, Confidence::possible, waits_for_queue},
    {"groups-blocked", Effect::tells, {}, Confidence::possible, groups_blocked},
    {"unusable-vm", Effect::tells, {}, Confidence::possible, unusable_vm},
    {"dead-group", Effect::tells, {}, Confidence::possible, dead_group},
    {"past-the-ioctl", Effect::rules_out, {Stage::ioctl}, Confidence::certain, past_the_ioctl},
    // It rules S8 out only as far as user space: the driver's fence below the scheduler's may have signalled.
    {"target-pending", Effect::tells, {}, Confidence::possible, target_pending},
};

}  // namespace

std::span<const Rule> waiter_rules() {
  return table;
}

std::string describe_waiter(const Waiter& waiter) {
  return fmt::format("{} ({}) has been in {} for {}{:.1f} s", waiter.comm.empty() ? "process" : waiter.comm,
                     waiter.pid, waiter.thread.doing.empty() ? "the kernel" : waiter.thread.doing,
                     waiter.exact ? "" : "at least ", waiter.seconds);
}

std::vector<std::string> awaited_timelines(const Facts& facts) {
  std::vector<std::string> timelines;
  if (facts.client)
    for (const Target& target : facts.client->targets)
      for (const FenceLook& fence : target.fences) timelines.push_back(fence.timeline);
  return timelines;
}

}  // namespace harness::autopsy
