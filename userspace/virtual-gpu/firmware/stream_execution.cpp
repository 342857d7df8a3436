// SPDX-License-Identifier: MIT
// StreamSlot: slices of instructions, and what they end in.
#include "firmware/group_slot.hpp"
#include "firmware/stream_slot.hpp"
#include "firmware/timing.hpp"

namespace vgpu::fw {

/// Runs the stream after `delay_ns`, but not before what it has executed already is over; brings a slice that
/// was planned for later forward.
void StreamSlot::schedule(uint64_t delay_ns) {
  if (!started_ || frozen_ || phase_ == Phase::dead) return;
  machine_.events.cancel(slice_);
  const uint64_t now = machine_.events.now_ns();
  const bool spinning = phase_ == Phase::spinning;
  const uint64_t earliest = spinning ? now : std::max(now, ready_at_);
  slice_ = machine_.events.at(std::max(earliest, now + delay_ns), [this] { run_slice(); });
  group_.stream_changed();
}

/// A stream rests after a CS_FAULT until the host has acknowledged it (assumed): panthor finds the job at
/// fault by EXTRACT (cs_slot_process_fault_event_locked()), which must not move on before it has looked.
bool StreamSlot::fault_unseen() {
  return ((input().get(&StreamInput::req) ^ output().get(&StreamOutput::ack)) & cs_bits::fault) != 0;
}

uint64_t StreamSlot::read_insert() {
  const uint64_t insert = View<RingInput>(machine_.memory, ring_input_).get(&RingInput::insert);
  if (insert != seen_insert_ && !machine_.faults.hits("insert-stale")) seen_insert_ = insert;
  return seen_insert_;
}

void StreamSlot::run_slice() {
  slice_ = 0;
  if (fault_unseen()) {
    schedule(timing::fault_poll_ns);
    return;
  }
  const uint64_t insert = read_insert();
  if (machine_.memory.faulted()) return;
  const uint64_t epoch = epoch_;
  phase_ = Phase::ready;
  const cs::RunResult run =
      interpreter_.run(context_, {ring_base_, ring_size_, insert}, timing::slice_instructions);
  if (epoch != epoch_ || machine_.memory.faulted()) return;  // taken down from inside
  instructions_ += run.executed;
  ready_at_ = machine_.events.now_ns() + run.executed * timing::instruction_ns;
  publish_extract();
  if (context_.deferred_stalled != 0 ||
      (run.state == cs::RunState::blocked && context_.blocked == cs::Blocked::memory))
    stalled_ = true;
  const bool died = phase_ == Phase::dead;  // of something the firmware did for it
  report_exceptions();
  if (died || phase_ == Phase::dead) return;
  switch (run.state) {
    case cs::RunState::more:
      schedule(0);
      break;
    case cs::RunState::spinning:
      phase_ = Phase::ready;
      schedule(timing::spin_slice_ns);
      phase_ = Phase::spinning;
      break;
    case cs::RunState::empty:
      phase_ = Phase::empty;
      break;
    case cs::RunState::blocked:
      phase_ = Phase::blocked;
      if (context_.wait_protected != 0) event(cs_bits::protm_pending);
      if (context_.blocked == cs::Blocked::sync) group_.stream_waits();
      break;
    case cs::RunState::fatal:
      phase_ = Phase::dead;
      break;
  }
  group_.stream_changed();
}

void StreamSlot::publish_extract() {
  if (!started_ || context_.extract == published_extract_) return;
  published_extract_ = context_.extract;
  if (!machine_.faults.hits("extract-not-written"))
    View<RingOutput>(machine_.memory, ring_output_).set(&RingOutput::extract, context_.extract);
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
    if (machine_.faults.hits("cs-fault-lost", "fault")) continue;
    const auto out = output();
    out.set(&StreamOutput::fault, e->status);
    out.set(&StreamOutput::fault_info, e->info);
    machine_.log.event("fw.cs_fault", "slot={} cs={} status={:#x} info={:#x}", group_.index(), index_,
                       e->status, e->info);
    event(cs_bits::fault);
  }
}

void StreamSlot::die(uint32_t status, uint64_t info) {
  phase_ = Phase::dead;
  context_.dead = 1;  // also after a suspend
  machine_.events.cancel(slice_);
  slice_ = 0;
  if (machine_.faults.hits("cs-fault-lost", "fatal")) return group_.stream_changed();
  const auto out = output();
  out.set(&StreamOutput::fatal, status);
  out.set(&StreamOutput::fatal_info, info);
  machine_.log.event("fw.cs_fatal", "slot={} cs={} status={:#x} info={:#x}", group_.index(), index_, status,
                     info);
  event(cs_bits::fatal);
  group_.stream_changed();
}

/// Raises a CS event: the bit of CS_ACK becomes different from CS_REQ's.
void StreamSlot::event(uint32_t bit) {
  const uint32_t req = input().get(&StreamInput::req), ack = output().get(&StreamOutput::ack);
  output().set(&StreamOutput::ack, (ack & ~bit) | (~req & bit));
  if (input().get(&StreamInput::ack_irq_mask) & bit) group_.stream_interrupt(index_);
}

}  // namespace vgpu::fw
