// SPDX-License-Identifier: MIT
// StreamSlot: jobs on endpoints, cache flushes and the tiler heap.
#include <algorithm>
#include <array>
#include <string_view>

#include "firmware/group_slot.hpp"
#include "firmware/stream_slot.hpp"
#include "firmware/tiler_heap.hpp"
#include "firmware/timing.hpp"

namespace vgpu::fw {
namespace {

/// At most this many jobs of one kind are in flight on a stream; the next RUN_* waits (assumed).
constexpr uint32_t jobs_per_endpoint = 2;
/// RUN_IDVS and friends: d40 is the tiler context (Mesa decode_csf.c).
constexpr unsigned tiler_context_register = 40;
static_assert(jobs_per_endpoint * 3 <= jobs_per_stream);

/// What a task of a job that never ends takes: longer than any run.
constexpr uint64_t endless_ns = 365ull * 86'400 * 1'000'000'000;
/// By cs::Endpoint, as the fault catalogue has them.
constexpr std::array<std::string_view, 3> endpoint_names{"compute", "fragment", "tiler"};

std::string_view name_of(cs::Endpoint endpoint) {
  return endpoint_names[static_cast<size_t>(endpoint)];
}

cs::IteratorJob as_job(const SavedJob& saved, uint64_t core_mask) {
  return {saved.endpoint, saved.instruction, saved.registers, saved.scoreboard, core_mask};
}

}  // namespace

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

/// Takes a job as far as it gets: planned, given its heap memory, running on an endpoint. Jobs of one kind
/// run in the order they were issued, one after the other (assumed).
void StreamSlot::advance(Job& job) {
  for (const Job& earlier : jobs_) {
    if (earlier.id == job.id) break;
    if (earlier.saved.endpoint == job.saved.endpoint) return;
  }
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
    if (job.saved.planned == 0 && machine_.faults.hits("job-never-ends", name_of(job.saved.endpoint)))
      job.saved.endless = 1;
    job.saved.planned = 1;
    job.phase = JobPhase::needs_heap;
  }
  if (!heap_satisfied(job)) return;
  job.phase = JobPhase::running;
  group_.use_power();
  job.endpoint =
      group_.endpoints().start({.endpoint = job.saved.endpoint,
                                .group = &group_.share(),
                                .tasks = job.plan.tasks,
                                .ns_per_task = job.saved.endless != 0 ? endless_ns : job.plan.ns_per_task,
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
  try_jobs();
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
  if (machine_.faults.hits("cs-flush-lost")) return true;
  machine_.events.after(timing::flush_ns, [this, scoreboard, epoch = epoch_] {
    if (epoch != epoch_) return;
    --flushes_;
    interpreter_.deferred_done(context_, scoreboard);
    if (context_.deferred_stalled != 0) stalled_ = true;
    if (frozen_)
      group_.stream_changed();
    else
      schedule(0);
  });
  return true;
}

// ---- Tiler heap

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
  machine_.log.event("cs.tiler_oom", "slot={} cs={} heap={:#x} vt_start={} vt_end={} frag_end={}",
                     group_.index(), index_, context_.heap_va, heap.vt_started, heap.vt_completed,
                     heap.fragment_completed);
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
  if (known && heap.vt_completed != heap.fragment_completed)
    return;                                              // a render pass will end and free its chunks
  if (interpreter_.enter_exception_handler(context_)) {  // renders what there is and frees the chunks
    schedule(0);
    return;
  }
  const auto it =
      std::find_if(jobs_.begin(), jobs_.end(), [](const Job& j) { return j.phase == JobPhase::needs_heap; });
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
    case cs::HeapOperation::vertex_tiler_started:
      ++context.vt_started;
      break;
    case cs::HeapOperation::vertex_tiler_completed:
      ++context.vt_completed;
      break;
    case cs::HeapOperation::fragment_completed:
      ++context.fragment_completed;
      break;
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

}  // namespace vgpu::fw
