// SPDX-License-Identifier: MIT
#include "firmware/stream_slot.hpp"

#include <algorithm>
#include <bit>

#include "firmware/group_slot.hpp"
#include "firmware/tiler_heap.hpp"
#include "firmware/timing.hpp"

namespace vgpu::fw {
namespace {

/// At most this many jobs of one kind are in flight on a stream; the next RUN_* waits (assumed).
constexpr uint32_t jobs_per_endpoint = 2;
/// RUN_IDVS and friends: d40 is the tiler context (Mesa decode_csf.c).
constexpr unsigned tiler_context_register = 40;
static_assert(jobs_per_endpoint * 3 <= jobs_per_stream);

cs::IteratorJob as_job(const SavedJob& saved, uint64_t core_mask) {
  return {saved.endpoint, saved.instruction, saved.registers, saved.scoreboard, core_mask};
}

}  // namespace

StreamSlot::StreamSlot(Machine& machine, GroupSlot& group, unsigned index)
    : machine_(machine),
      group_(group),
      index_(index),
      interpreter_(*this, machine.log),
      instructions_(machine.log.counter("cs.instructions")) {}

StreamSlot::~StreamSlot() { drop_work(); }

View<StreamInput> StreamSlot::input() const { return {machine_.memory, place::stream_input(group_.index(), index_)}; }
View<StreamOutput> StreamSlot::output() const { return {machine_.memory, place::stream_output(group_.index(), index_)}; }

// ---- Requests ----------------------------------------------------------------------------------------------------

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
  published_extract_ = context_.extract;
  machine_.log.event("cs.start", "slot={} cs={} ring={:#x} size={:#x} extract={:#x}", group_.index(), index_, ring_base_,
                     ring_size_, context_.extract);
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
  if (phase_ == Phase::blocked && context_.blocked != cs::Blocked::sync && context_.blocked != cs::Blocked::resource) return;
  schedule(timing::doorbell_ns);
}

// ---- The group's side --------------------------------------------------------------------------------------------

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
  while (interpreter_.take_exception()) {}
  started_ = false;
  frozen_ = true;
  restored_ = false;
  phase_ = Phase::empty;
  context_ = {};
  extract_event_armed_ = false;
}

void StreamSlot::reset() {
  forget();
  // An event the previous group left unanswered must not look like one of the next group's: the driver never answers
  // a CS_TILER_OOM of a group that left its slot (panthor_sched.c group_unbind_locked()).
  const uint32_t req = input().get(&StreamInput::req), ack = output().get(&StreamOutput::ack);
  output().set(&StreamOutput::ack, (ack & ~(cs_bits::events | cs_bits::state_mask)) | (req & cs_bits::events));
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
  image.started = started_ && phase_ != Phase::dead;
  image.context = context_;
  image.job_count = static_cast<uint32_t>(jobs_.size());
  for (size_t i = 0; i < jobs_.size(); ++i) image.jobs[i] = jobs_[i].saved;
}

void StreamSlot::restore(const StreamImage& image) {
  if (!image.started) return;
  restored_ = true;
  context_ = image.context;
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
  if (reason == cs::Blocked::scoreboard) wait = (context_.wait_scoreboards & 0xffff) | cs_bits::wait_sb_src_wait;
  if (reason == cs::Blocked::progress) wait = cs_bits::wait_progress;
  if (blocked && context_.wait_protected != 0) wait |= cs_bits::wait_protm;
  if (reason == cs::Blocked::sync)
    wait = cs_bits::wait_sync | context_.wait_condition << 24 | (context_.wait_is_64 ? cs_bits::wait_sync_64b : 0);
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
  if (slice_ != 0 || flushes_ != 0 || !jobs_.empty()) return false;
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
  if (waits_for_sync() && slice_ == 0 && interpreter_.sync_satisfied(context_)) schedule(0);
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

// ---- Execution ---------------------------------------------------------------------------------------------------

/// Runs the stream after `delay_ns`, but not before what it has executed already is over; brings a slice that was
/// planned for later forward.
void StreamSlot::schedule(uint64_t delay_ns) {
  if (!started_ || frozen_ || phase_ == Phase::dead) return;
  machine_.events.cancel(slice_);
  const uint64_t now = machine_.events.now_ns();
  const bool spinning = phase_ == Phase::spinning;
  const uint64_t earliest = spinning ? now : std::max(now, ready_at_);
  slice_ = machine_.events.at(std::max(earliest, now + delay_ns), [this] { run_slice(); });
  group_.stream_changed();
}

void StreamSlot::run_slice() {
  slice_ = 0;
  const uint64_t insert = View<RingInput>(machine_.memory, ring_input_).get(&RingInput::insert);
  if (machine_.memory.faulted()) return;
  const uint64_t epoch = epoch_;
  phase_ = Phase::ready;
  const cs::RunResult run =
      interpreter_.run(context_, {ring_base_, ring_size_, insert}, timing::slice_instructions);
  if (epoch != epoch_ || machine_.memory.faulted()) return;  // taken down from inside
  instructions_ += run.executed;
  ready_at_ = machine_.events.now_ns() + run.executed * timing::instruction_ns;
  publish_extract();
  if (context_.deferred_stalled != 0 || (run.state == cs::RunState::blocked && context_.blocked == cs::Blocked::memory))
    stalled_ = true;
  const bool died = phase_ == Phase::dead;  // of something the firmware did for it
  report_exceptions();
  if (died || phase_ == Phase::dead) return;
  switch (run.state) {
    case cs::RunState::more: schedule(0); break;
    case cs::RunState::spinning:
      phase_ = Phase::ready;
      schedule(timing::spin_slice_ns);
      phase_ = Phase::spinning;
      break;
    case cs::RunState::empty: phase_ = Phase::empty; break;
    case cs::RunState::blocked:
      phase_ = Phase::blocked;
      if (context_.wait_protected != 0) event(cs_bits::protm_pending);
      if (context_.blocked == cs::Blocked::sync) group_.stream_waits();
      break;
    case cs::RunState::fatal: phase_ = Phase::dead; break;
  }
  group_.stream_changed();
}

void StreamSlot::publish_extract() {
  if (!started_ || context_.extract == published_extract_) return;
  View<RingOutput>(machine_.memory, ring_output_).set(&RingOutput::extract, context_.extract);
  published_extract_ = context_.extract;
  group_.progressed();
  if (!extract_event_armed_) return;
  extract_event_armed_ = false;
  const uint32_t req = input().get(&StreamInput::req), ack = output().get(&StreamOutput::ack);
  output().set(&StreamOutput::ack, (ack & ~cs_bits::extract_event) | (req & cs_bits::extract_event));
  if (input().get(&StreamInput::ack_irq_mask) & cs_bits::extract_event) group_.stream_interrupt(index_);
}

void StreamSlot::report_exceptions() {
  while (const auto e = interpreter_.take_exception()) {
    if (e->fatal) {
      die(e->status, e->info);
      continue;
    }
    const auto out = output();
    out.set(&StreamOutput::fault, e->status);
    out.set(&StreamOutput::fault_info, e->info);
    ++machine_.log.counter("cs.faults");
    machine_.log.event("cs.fault", "slot={} cs={} status={:#x} info={:#x}", group_.index(), index_, e->status, e->info);
    event(cs_bits::fault);
  }
}

void StreamSlot::die(uint32_t status, uint64_t info) {
  phase_ = Phase::dead;
  machine_.events.cancel(slice_);
  slice_ = 0;
  const auto out = output();
  out.set(&StreamOutput::fatal, status);
  out.set(&StreamOutput::fatal_info, info);
  ++machine_.log.counter("cs.fatals");
  machine_.log.event("cs.fatal", "slot={} cs={} status={:#x} info={:#x}", group_.index(), index_, status, info);
  event(cs_bits::fatal);
  group_.stream_changed();
}

/// Raises a CS event: the bit of CS_ACK becomes different from CS_REQ's.
void StreamSlot::event(uint32_t bit) {
  const uint32_t req = input().get(&StreamInput::req), ack = output().get(&StreamOutput::ack);
  output().set(&StreamOutput::ack, (ack & ~bit) | (~req & bit));
  if (input().get(&StreamInput::ack_irq_mask) & bit) group_.stream_interrupt(index_);
}

// ---- Jobs --------------------------------------------------------------------------------------------------------

uint32_t StreamSlot::in_flight(cs::Endpoint endpoint) const noexcept {
  return static_cast<uint32_t>(
      std::count_if(jobs_.begin(), jobs_.end(), [=](const Job& j) { return j.saved.endpoint == endpoint; }));
}

bool StreamSlot::start(const cs::IteratorJob& job) {
  if (group_.share().limit(job.endpoint) == 0 || group_.share().allowed(job.endpoint) == 0) return false;
  if (in_flight(job.endpoint) >= jobs_per_endpoint) return false;
  Job entry{.id = next_job_++, .saved = {}, .phase = JobPhase::unplanned, .plan = {}};
  entry.saved.instruction = job.instruction;
  entry.saved.scoreboard = job.scoreboard;
  entry.saved.endpoint = job.endpoint;
  std::copy_n(job.registers.begin(), std::min<size_t>(job.registers.size(), cs::register_count),
              entry.saved.registers.begin());
  ++machine_.log.counter("cs.jobs");
  jobs_.push_back(entry);
  advance(jobs_.back());
  return true;
}

/// Takes a job as far as it gets: planned, given its heap memory, running on an endpoint.
void StreamSlot::advance(Job& job) {
  if (job.phase == JobPhase::unplanned) {
    // A tiler job that was planned before a suspend must not count its memory twice.
    const bool again = job.saved.planned != 0 && job.saved.endpoint == cs::Endpoint::tiler;
    const uint64_t first_task = std::max<uint64_t>(job.saved.tasks_done, again ? 1 : 0);
    job.plan = machine_.jobs.plan(as_job(job.saved, group_.core_mask(job.saved.endpoint)), *this, first_task);
    if (job.plan.result == AccessResult::stalled) {
      stalled_ = true;
      return;
    }
    if (job.saved.planned == 0) job.saved.heap_missing = job.plan.heap_bytes;
    job.saved.planned = 1;
    job.phase = JobPhase::needs_heap;
  }
  if (!heap_satisfied(job)) return;
  job.phase = JobPhase::running;
  group_.use_power();
  job.endpoint = group_.endpoints().start({.endpoint = job.saved.endpoint,
                                           .group = &group_.share(),
                                           .tasks = job.plan.tasks,
                                           .ns_per_task = job.plan.ns_per_task,
                                           .first_task = job.saved.tasks_done,
                                           .finished = [this, id = job.id] { job_ended(id); }});
  group_.jobs_changed();
}

void StreamSlot::try_jobs() {
  for (size_t i = 0; i < jobs_.size(); ++i)
    if (jobs_[i].phase != JobPhase::running) advance(jobs_[i]);
}

void StreamSlot::job_ended(uint64_t id) {
  const auto it = std::find_if(jobs_.begin(), jobs_.end(), [id](const Job& j) { return j.id == id; });
  if (it == jobs_.end()) return;
  const Job job = *it;
  jobs_.erase(it);
  interpreter_.job_done(context_, job.saved.scoreboard, job.plan.fault);
  if (context_.deferred_stalled != 0) stalled_ = true;
  report_exceptions();
  group_.progressed();
  schedule(0);
  group_.resources_changed();
  group_.jobs_changed();
}

bool StreamSlot::flush(uint32_t flush_id, unsigned scoreboard) {
  const uint32_t latest = machine_.gpu.latest_flush_id();
  if (flush_id != 0 && static_cast<int32_t>(latest - flush_id) > 0) return false;
  machine_.gpu.flush_caches();
  ++flushes_;
  ++machine_.log.counter("cs.flushes");
  machine_.events.after(timing::flush_ns, [this, scoreboard, epoch = epoch_] {
    if (epoch != epoch_) return;
    --flushes_;
    interpreter_.deferred_done(context_, scoreboard);
    if (context_.deferred_stalled != 0) stalled_ = true;
    if (frozen_) group_.stream_changed();
    else schedule(0);
  });
  return true;
}

// ---- Tiler heap --------------------------------------------------------------------------------------------------

/// Gives a tiler job the memory its plan needs; false: it waits, and the host has been asked.
bool StreamSlot::heap_satisfied(Job& job) {
  if (job.saved.heap_missing == 0 || context_.heap_va == 0) return true;
  if (oom_pending_) return false;
  const uint64_t tiler_context = job.saved.registers[tiler_context_register] |
                                 uint64_t{job.saved.registers[tiler_context_register + 1]} << 32;
  TilerHeap heap(machine_.mmu, group_.address_space(), context_.heap_va);
  ChunkPointer chunk;
  while (job.saved.heap_missing != 0 && heap.take(chunk)) {
    heap.attach(chunk, tiler_context);
    const uint64_t usable = chunk.size() > chunk_header_size ? chunk.size() - chunk_header_size : 0;
    job.saved.heap_missing -= std::min(job.saved.heap_missing, usable);
  }
  if (job.saved.heap_missing == 0) return true;
  ask_for_heap();
  return false;
}

void StreamSlot::ask_for_heap() {
  HeapContext heap{};
  if (!TilerHeap(machine_.mmu, group_.address_space(), context_.heap_va).load(heap)) {
    die(exception::cs_bus_fault, context_.heap_va);
    return;
  }
  const auto out = output();
  out.set(&StreamOutput::heap_vt_start, heap.vt_started);
  out.set(&StreamOutput::heap_vt_end, heap.vt_completed);
  out.set(&StreamOutput::heap_frag_end, heap.fragment_completed);
  out.set(&StreamOutput::heap_address, context_.heap_va);
  oom_pending_ = true;
  ++machine_.log.counter("cs.tiler_oom");
  machine_.log.event("cs.tiler_oom", "slot={} cs={} heap={:#x} vt_start={} vt_end={} frag_end={}", group_.index(), index_,
                     context_.heap_va, heap.vt_started, heap.vt_completed, heap.fragment_completed);
  event(cs_bits::tiler_oom);
}

/// The host answered CS_TILER_OOM: with chunks, or with 0: find another way.
void StreamSlot::heap_answered() {
  oom_pending_ = false;
  const uint64_t first = input().get(&StreamInput::heap_start), last = input().get(&StreamInput::heap_end);
  machine_.log.event("cs.heap_grown", "slot={} cs={} chunk={:#x}", group_.index(), index_, first);
  if (first != 0) {
    TilerHeap(machine_.mmu, group_.address_space(), context_.heap_va).release(first, last);
    try_jobs();
    return;
  }
  HeapContext heap{};
  const bool known = TilerHeap(machine_.mmu, group_.address_space(), context_.heap_va).load(heap);
  if (known && heap.vt_completed != heap.fragment_completed) return;  // a render pass will end and free its chunks
  if (interpreter_.enter_exception_handler(context_)) {  // renders what there is and frees the chunks
    schedule(0);
    return;
  }
  const auto it = std::find_if(jobs_.begin(), jobs_.end(), [](const Job& j) { return j.phase == JobPhase::needs_heap; });
  if (it == jobs_.end()) return;
  it->plan.fault = cs::Exception{exception::oom, context_.heap_va, false};
  job_ended(it->id);
}

void StreamSlot::heap_operation(cs::HeapOperation operation) {
  if (context_.heap_va == 0) return;
  TilerHeap heap(machine_.mmu, group_.address_space(), context_.heap_va);
  HeapContext context{};
  if (!heap.load(context)) return;
  switch (operation) {
    case cs::HeapOperation::vertex_tiler_started: ++context.vt_started; break;
    case cs::HeapOperation::vertex_tiler_completed: ++context.vt_completed; break;
    case cs::HeapOperation::fragment_completed: ++context.fragment_completed; break;
  }
  heap.store(context);
  if (operation == cs::HeapOperation::fragment_completed) group_.heap_changed();
}

void StreamSlot::heap_set(uint64_t va) {
  machine_.log.event("cs.heap_set", "slot={} cs={} heap={:#x}", group_.index(), index_, va);
}

void StreamSlot::heap_changed() {
  const bool waiting =
      std::any_of(jobs_.begin(), jobs_.end(), [](const Job& j) { return j.phase == JobPhase::needs_heap; });
  if (!frozen_ && waiting && !oom_pending_) try_jobs();
}

void StreamSlot::free_heap_chunks(uint64_t first, uint64_t last) {
  if (context_.heap_va == 0) return;
  TilerHeap(machine_.mmu, group_.address_space(), context_.heap_va).release(first, last);
  group_.heap_changed();
}

// ---- The rest of the environment ---------------------------------------------------------------------------------

Mmu::Lookup StreamSlot::translate(uint64_t va, Access access) {
  return machine_.mmu.translate(group_.address_space(), va, access, Master::command_stream);
}

void StreamSlot::sync_updated(uint64_t, cs::SyncScope scope) { group_.sync_updated(scope); }

bool StreamSlot::request_resources(uint32_t mask) {
  const GroupEndpoints& share = group_.share();
  const auto granted = [&](cs::Endpoint e) { return share.limit(e) != 0 && share.allowed(e) != 0; };
  if ((mask & 1) != 0 && !granted(cs::Endpoint::compute)) return false;
  if ((mask & 2) != 0 && !granted(cs::Endpoint::fragment)) return false;
  return (mask & 0xc) == 0 || granted(cs::Endpoint::tiler);
}

std::optional<uint64_t> StreamSlot::progress_of(unsigned queue) const { return group_.progress_of(queue); }

uint64_t StreamSlot::timestamp() const { return machine_.gpu.timestamp(); }
uint64_t StreamSlot::cycle_count() const { return machine_.gpu.cycle_count(); }

void StreamSlot::trace_point(std::span<const uint32_t> registers) {
  std::string words;
  for (const uint32_t word : registers) words += fmt::format("{}{:#x}", words.empty() ? "" : ",", word);
  machine_.log.event("cs.trace", "slot={} cs={} registers={}", group_.index(), index_, words);
}

void StreamSlot::progressed() { group_.progressed(); }

}  // namespace vgpu::fw
