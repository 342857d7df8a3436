// SPDX-License-Identifier: MIT
#include "firmware/stream_slot.hpp"

#include <algorithm>
#include <bit>

#include "firmware/group_slot.hpp"
#include "firmware/timing.hpp"

namespace vgpu::fw {
StreamSlot::StreamSlot(Machine& machine, GroupSlot& group, unsigned index)
    : machine_(machine),
      group_(group),
      index_(index),
      interpreter_(*this, machine.log),
      instructions_(machine.log.counter("cs.instructions")) {}

StreamSlot::~StreamSlot() {
  drop_work();
}

View<StreamInput> StreamSlot::input() const {
  return {machine_.memory, place::stream_input(group_.index(), index_)};
}
View<StreamOutput> StreamSlot::output() const {
  return {machine_.memory, place::stream_output(group_.index(), index_)};
}

// ---- Requests

void StreamSlot::evaluate_request() {
  const uint32_t req = input().get(&StreamInput::req);
  const bool want = (req & cs_bits::state_mask) == cs_bits::state_start;
  if (want && !started_) start_stream();
  if (!want && started_) stop_stream();
  const uint32_t ack = output().get(&StreamOutput::ack);  // starting may have raised events
  if (((req ^ ack) & cs_bits::extract_event) != 0) extract_event_armed_ = true;
  output().set(&StreamOutput::ack, (ack & ~cs_bits::levels) | (req & cs_bits::levels));
  if (oom_pending_ && ((req ^ ack) & cs_bits::tiler_oom) == 0) heap_answered();
}

void StreamSlot::start_stream() {
  const auto in = input();
  ring_base_ = in.get(&StreamInput::ringbuf_base);
  ring_size_ = in.get(&StreamInput::ringbuf_size);
  ring_input_ = in.get(&StreamInput::ringbuf_input);
  ring_output_ = in.get(&StreamInput::ringbuf_output);
  doorbell_id_ = in.get(&StreamInput::config) >> 8 & 0xff;
  started_ = true;
  phase_ = Phase::ready;
  ready_at_ = machine_.events.now_ns();
  if (!std::has_single_bit(ring_size_) || ring_size_ < 8 || ring_base_ % 8 != 0) {
    die(exception::cs_config_fault, ring_base_);
    return;
  }
  if (!std::exchange(restored_, false))
    context_.extract = View<RingInput>(machine_.memory, ring_input_).get(&RingInput::extract);
  const View<RingOutput> out(machine_.memory, ring_output_);
  out.set(&RingOutput::active, 1);
  out.set(&RingOutput::extract, context_.extract);
  published_extract_ = seen_insert_ = context_.extract;
  machine_.log.event("cs.start", "slot={} cs={} ring={:#x} size={:#x} extract={:#x}", group_.index(), index_,
                     ring_base_, ring_size_, context_.extract);
  try_jobs();
  schedule(0);
}

void StreamSlot::stop_stream() {
  publish_extract();
  View<RingOutput>(machine_.memory, ring_output_).set(&RingOutput::active, 0);
  machine_.log.event("cs.stop", "slot={} cs={} extract={:#x}", group_.index(), index_, context_.extract);
  drop_work();
  started_ = false;
  phase_ = Phase::empty;
  context_ = {};
  group_.stream_changed();
}

void StreamSlot::doorbell() {
  if (!started_ || frozen_ || phase_ == Phase::dead) return;
  if (phase_ == Phase::blocked && context_.blocked != cs::Blocked::sync &&
      context_.blocked != cs::Blocked::resource)
    return;
  schedule(timing::doorbell_ns);
}

// ---- The group's side

void StreamSlot::drop_work() {
  machine_.events.cancel(slice_);
  slice_ = 0;
  for (const Job& job : jobs_)
    if (job.phase == JobPhase::running) group_.endpoints().stop(job.endpoint);
  jobs_.clear();
  flushes_ = 0;
  stalled_ = false;
  oom_pending_ = false;
  ++epoch_;
}

void StreamSlot::forget() {
  drop_work();
  while (interpreter_.take_exception()) {
  }
  started_ = false;
  frozen_ = true;
  restored_ = false;
  phase_ = Phase::empty;
  context_ = {};
  extract_event_armed_ = false;
}

void StreamSlot::reset() {
  forget();
  // An event the previous group left unanswered must not look like one of the next group's: the driver
  // never answers a CS_TILER_OOM of a group that left its slot (panthor_sched.c group_unbind_locked()).
  const uint32_t req = input().get(&StreamInput::req), ack = output().get(&StreamOutput::ack);
  output().set(&StreamOutput::ack,
               (ack & ~(cs_bits::events | cs_bits::state_mask)) | (req & cs_bits::events));
}

void StreamSlot::go() {
  frozen_ = false;
  evaluate_request();
}

void StreamSlot::thaw() {
  frozen_ = false;
  try_jobs();
  schedule(0);
}

void StreamSlot::freeze() {
  frozen_ = true;
  machine_.events.cancel(slice_);
  slice_ = 0;
  for (Job& job : jobs_) {
    if (job.phase != JobPhase::running) continue;
    job.saved.tasks_done = group_.endpoints().stop(job.endpoint);
    job.endpoint = 0;
    job.phase = JobPhase::unplanned;
  }
}

void StreamSlot::save(StreamImage& image) const {
  image.started = started_;
  image.context = context_;
  image.job_count = static_cast<uint32_t>(jobs_.size());
  for (size_t i = 0; i < jobs_.size(); ++i) image.jobs[i] = jobs_[i].saved;
}

void StreamSlot::restore(const StreamImage& image) {
  if (!image.started) return;
  restored_ = true;
  context_ = image.context;
  cs::Interpreter::sanitize(context_);
  for (uint32_t i = 0; i < image.job_count; ++i)
    jobs_.push_back({.id = next_job_++, .saved = image.jobs[i], .phase = JobPhase::unplanned, .plan = {}});
}

uint32_t StreamSlot::scoreboard_mask() const noexcept {
  uint32_t mask = 0;
  for (unsigned i = 0; i < cs::scoreboard_count; ++i)
    if (context_.scoreboard[i] != 0) mask |= 1u << i;
  return mask;
}

void StreamSlot::publish_status() {
  const auto out = output();
  if (!started_) {
    out.set(&StreamOutput::status_blocked_reason, 0);
    out.set(&StreamOutput::status_scoreboards, 0);
    out.set(&StreamOutput::status_wait, 0);
    return;
  }
  publish_extract();
  const uint64_t insert = View<RingInput>(machine_.memory, ring_input_).get(&RingInput::insert);
  const bool blocked = phase_ == Phase::blocked && context_.blocked != cs::Blocked::memory;
  const auto reason = blocked ? context_.blocked : cs::Blocked::none;
  uint32_t wait = 0;
  if (reason == cs::Blocked::scoreboard)
    wait = (context_.wait_scoreboards & 0xffff) | cs_bits::wait_sb_src_wait;
  if (reason == cs::Blocked::progress) wait = cs_bits::wait_progress;
  if (blocked && context_.wait_protected != 0) wait |= cs_bits::wait_protm;
  if (reason == cs::Blocked::sync)
    wait = cs_bits::wait_sync | context_.wait_condition << 24 |
           (context_.wait_is_64 ? cs_bits::wait_sync_64b : 0);
  out.set(&StreamOutput::status_cmd_ptr,
          cs::Interpreter::command_pointer(context_, {ring_base_, ring_size_, insert}));
  out.set(&StreamOutput::status_wait, wait);
  out.set(&StreamOutput::status_req_resource, context_.granted_resources);
  out.set(&StreamOutput::status_wait_sync_ptr, context_.wait_va);
  out.set(&StreamOutput::status_wait_sync_value, static_cast<uint32_t>(context_.wait_reference));
  out.set(&StreamOutput::status_wait_sync_value_hi, static_cast<uint32_t>(context_.wait_reference >> 32));
  out.set(&StreamOutput::status_scoreboards, scoreboard_mask());
  out.set(&StreamOutput::status_blocked_reason, static_cast<uint32_t>(reason));
}

bool StreamSlot::idle() const {
  if (!started_ || phase_ == Phase::dead) return true;
  if (slice_ != 0 || flushes_ != 0 || !jobs_.empty() || scoreboard_mask() != 0) return false;
  const uint32_t req = input().get(&StreamInput::req);
  if (phase_ == Phase::empty) return (req & cs_bits::idle_empty) != 0;
  if (phase_ != Phase::blocked) return false;
  if (context_.blocked == cs::Blocked::sync) return (req & cs_bits::idle_sync_wait) != 0;
  if (context_.blocked == cs::Blocked::resource) return (req & cs_bits::idle_resource_req) != 0;
  return false;
}

bool StreamSlot::waits_for_sync() const noexcept {
  return started_ && !frozen_ && phase_ == Phase::blocked && context_.blocked == cs::Blocked::sync;
}

void StreamSlot::memory_changed() {
  if (!started_ || frozen_) return;
  if (phase_ == Phase::spinning) schedule(0);
  if (waits_for_sync() && slice_ == 0 && interpreter_.sync_satisfied(context_) &&
      !machine_.faults.hits("sync-wake-lost"))
    schedule(0);
}

void StreamSlot::group_progressed() {
  if (!started_ || frozen_ || phase_ != Phase::blocked || slice_ != 0) return;
  if (context_.blocked == cs::Blocked::progress && interpreter_.progress_satisfied(context_)) schedule(0);
}

void StreamSlot::resources_changed() {
  if (!started_ || frozen_) return;
  if (phase_ == Phase::blocked && context_.blocked == cs::Blocked::resource) schedule(0);
}

void StreamSlot::address_space_resumed() {
  const bool was_stalled = std::exchange(stalled_, false);
  if (!started_) return;
  if (!frozen_) {
    if (was_stalled || (phase_ == Phase::blocked && context_.blocked == cs::Blocked::memory)) schedule(0);
    try_jobs();
  } else if (was_stalled) {
    group_.stream_changed();
  }
}

// ---- The rest of the environment

Mmu::Lookup StreamSlot::translate(uint64_t va, Access access) {
  return machine_.mmu.translate(group_.address_space(), va, access, Master::command_stream);
}

bool StreamSlot::loses_sync_write(cs::SyncScope scope) {
  return scope == cs::SyncScope::system && machine_.faults.hits("sync-write-lost");
}

void StreamSlot::sync_updated(uint64_t, cs::SyncScope scope) {
  group_.sync_updated(scope);
}

bool StreamSlot::request_resources(uint32_t mask) {
  const GroupEndpoints& share = group_.share();
  const auto granted = [&](cs::Endpoint e) { return share.limit(e) != 0 && share.allowed(e) != 0; };
  if ((mask & 1) != 0 && !granted(cs::Endpoint::compute)) return false;
  if ((mask & 2) != 0 && !granted(cs::Endpoint::fragment)) return false;
  return (mask & 0xc) == 0 || granted(cs::Endpoint::tiler);
}

std::optional<uint64_t> StreamSlot::progress_of(unsigned queue) const {
  return group_.progress_of(queue);
}

uint64_t StreamSlot::timestamp() const {
  return machine_.gpu.timestamp();
}
uint64_t StreamSlot::cycle_count() const {
  return machine_.gpu.cycle_count();
}

void StreamSlot::trace_point(std::span<const uint32_t> registers) {
  std::string words;
  for (const uint32_t word : registers) words += fmt::format("{}{:#x}", words.empty() ? "" : ",", word);
  machine_.log.event("cs.trace", "slot={} cs={} registers={}", group_.index(), index_, words);
}

void StreamSlot::progressed() {
  group_.progressed();
}

}  // namespace vgpu::fw
