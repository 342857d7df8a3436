// SPDX-License-Identifier: MIT
#include "firmware/group_slot.hpp"

#include <algorithm>
#include <string_view>

#include "firmware/suspend_buffer.hpp"
#include "firmware/timing.hpp"

namespace vgpu::fw {
namespace {

constexpr std::array<std::string_view, 4> state_events{"csg.terminate", "csg.start", "csg.suspend",
                                                       "csg.resume"};

/// Calls `f(index)` for every set bit below `count`.
template <class F>
void for_each_bit(uint32_t mask, unsigned count, F f) {
  for (unsigned i = 0; i < count; ++i)
    if (mask >> i & 1) f(i);
}

}  // namespace

GroupSlot::GroupSlot(Machine& machine, EndpointPool& endpoints, PowerPolicy& power, GroupHost& host,
                     unsigned index)
    : machine_(machine), endpoints_(endpoints), power_(power), host_(host), index_(index) {
  share_.slot = index;
  for (unsigned i = 0; i < cs_count; ++i) streams_[i] = std::make_unique<StreamSlot>(machine, *this, i);
}

GroupSlot::~GroupSlot() {
  for (const auto id : {transition_, idle_event_, progress_event_}) machine_.events.cancel(id);
}

// ---- Requests

void GroupSlot::evaluate_requests() {
  const uint32_t req = input().get(&GroupInput::req);
  uint32_t pending = req ^ output().get(&GroupOutput::ack);
  const bool asked = (pending & csg::state_mask) != 0;
  pending &= ~lost_requests(req, pending);

  if (pending & csg::endpoint_config) {
    configure_endpoints();
    acknowledge(csg::endpoint_config);
  }
  const uint32_t wanted = req & csg::state_mask;
  if ((pending & csg::state_mask) != 0 && (!moving() || wanted != transition_to_)) {
    change_state(wanted);
  } else if (moving() && !asked) {
    machine_.log.unmodelled("CSG state request withdrawn in the middle of a transition");
  }

  const uint32_t rung = input().get(&GroupInput::doorbell_req);
  const uint32_t doorbells = rung ^ output().get(&GroupOutput::doorbell_ack);
  output().set(&GroupOutput::doorbell_ack, rung);
  if (state_ == State::running && !paused_)
    for_each_bit(doorbells, cs_count, [this](unsigned cs) {
      streams_[cs]->evaluate_request();
      streams_[cs]->doorbell();
    });

  if (pending & csg::status_update) {
    publish_status();
    acknowledge(csg::status_update);
  }
}

/// The bits of `pending` that a fault hides from the firmware.
uint32_t GroupSlot::lost_requests(uint32_t req, uint32_t pending) {
  static constexpr std::array<std::string_view, 4> states{"terminate", "start", "suspend", "resume"};
  const uint32_t wanted = req & csg::state_mask;
  uint32_t lost = 0;
  const auto ask = [&](uint32_t bits, std::string_view which) {
    if ((pending & bits) != 0 && machine_.faults.hits("csg-ack-lost", which)) lost |= bits;
  };
  if (wanted < states.size() && (!moving() || wanted != transition_to_)) ask(csg::state_mask, states[wanted]);
  ask(csg::status_update, "status-update");
  ask(csg::endpoint_config, "endpoint-config");
  return lost;
}

void GroupSlot::user_doorbell(unsigned id) {
  if (state_ != State::running || paused_) return;
  for (const auto& stream : streams_)
    if (stream->started() && stream->doorbell_id() == id) stream->doorbell();
}

void GroupSlot::configure_endpoints() {
  const auto in = input();
  share_.request = EndpointRequest::decode(in.get(&GroupInput::endpoint_req));
  share_.allow_compute = in.get(&GroupInput::allow_compute);
  share_.allow_fragment = in.get(&GroupInput::allow_fragment);
  share_.allow_tiler = in.get(&GroupInput::allow_other);
  output().set(&GroupOutput::status_endpoint_req, share_.request.encode());
  endpoints_.rearrange();
  if (state_ == State::running) resources_changed();
}

// ---- States

void GroupSlot::change_state(uint32_t wanted) {
  machine_.events.cancel(transition_);
  transition_ = 0;
  waiting_to_save_ = false;
  const bool was_resuming = transition_to_ == csg::state_resume;
  transition_to_ = wanted;
  const auto later = [this] {
    transition_ = machine_.events.after(timing::group_switch_ns, [this] {
      transition_ = 0;
      finish_transition();
    });
  };
  switch (wanted) {
    case csg::state_start:
    case csg::state_resume:
      if (state_ != State::off) {
        machine_.log.unmodelled("CSG START/RESUME of a group that is on its slot");
        acknowledge(csg::state_mask);
        return;
      }
      configure_endpoints();
      as_ = input().get(&GroupInput::config) & 0xf;
      state_ = State::starting;
      later();
      return;
    case csg::state_suspend:
      if (state_ == State::off || state_ == State::terminating) {
        machine_.log.unmodelled("CSG SUSPEND of a group that is not running");
        acknowledge(csg::state_mask);
        return;
      }
      if (state_ == State::starting) begin(was_resuming);
      state_ = State::suspending;
      waiting_to_save_ = true;
      for (const auto& stream : streams_) stream->freeze();
      suspend_if_quiescent();
      return;
    case csg::state_terminate:
      state_ = State::terminating;
      for (const auto& stream : streams_) stream->forget();
      later();
      return;
    default:
      machine_.log.unmodelled("CSG state request above RESUME");
      acknowledge(csg::state_mask);
  }
}

void GroupSlot::suspend_if_quiescent() {
  if (!waiting_to_save_) return;
  if (!std::all_of(streams_.begin(), streams_.end(), [](const auto& s) { return s->quiescent(); })) return;
  waiting_to_save_ = false;
  transition_ = machine_.events.after(timing::group_switch_ns, [this] {
    transition_ = 0;
    finish_transition();
  });
}

void GroupSlot::begin(bool resume) {
  state_ = State::running;
  progress_ = progress_seen_ = 0;
  GroupImage image{};
  const uint64_t buffer = input().get(&GroupInput::suspend_buf);
  const bool restored = resume && read_suspend_buffer(machine_.memory, buffer, image);
  for (unsigned i = 0; i < cs_count; ++i) {
    streams_[i]->reset();
    if (restored) streams_[i]->restore(image.streams[i]);
  }
  for (const auto& stream : streams_) stream->go();
  if (resume && !restored && !machine_.memory.faulted()) {
    machine_.log.event("csg.bad_suspend_buffer", "slot={} buffer={:#x}", index_, buffer);
    for (const auto& stream : streams_)
      if (stream->started()) stream->die(exception::firmware_internal_error, buffer);
  }
  update_idle();
}

void GroupSlot::finish_transition() {
  const uint32_t reached = transition_to_;
  if (reached == csg::state_start || reached == csg::state_resume) {
    idle_ = false;
    machine_.log.event(state_events[reached], "slot={} as={} priority={} endpoints={:#x}", index_, as_,
                       share_.request.priority, share_.request.encode());
    ++machine_.log.counter(reached == csg::state_start ? "csg.starts" : "csg.resumes");
    begin(reached == csg::state_resume);
  } else {
    if (reached == csg::state_suspend) {
      publish_status();
      GroupImage image{};
      for (unsigned i = 0; i < cs_count; ++i) streams_[i]->save(image.streams[i]);
      write_suspend_buffer(machine_.memory, input().get(&GroupInput::suspend_buf), image);
      ++machine_.log.counter("csg.suspends");
    } else {
      ++machine_.log.counter("csg.terminates");
    }
    machine_.log.event(state_events[reached], "slot={} as={}", index_, as_);
    drop();
  }
  acknowledge(csg::state_mask);
  host_.activity_changed();
}

void GroupSlot::drop() {
  for (const auto id : {transition_, idle_event_, progress_event_}) machine_.events.cancel(id);
  transition_ = idle_event_ = progress_event_ = 0;
  waiting_to_save_ = paused_ = false;
  state_ = State::off;
  idle_ = true;
  for (const auto& stream : streams_) stream->forget();
}

void GroupSlot::pause() {
  if (state_ != State::running) return;
  paused_ = true;
  for (const auto& stream : streams_) stream->freeze();
}

void GroupSlot::resume_paused() {
  if (!std::exchange(paused_, false)) return;
  for (const auto& stream : streams_) stream->thaw();
}

// ---- Status and events

bool GroupSlot::active() const {
  return state_ != State::off && !idle_;
}

bool GroupSlot::waits_for_sync() const noexcept {
  return std::any_of(streams_.begin(), streams_.end(), [](const auto& s) { return s->waits_for_sync(); });
}

void GroupSlot::publish_status() {
  for (const auto& stream : streams_) stream->publish_status();
  EndpointRequest current;
  if (state_ != State::off) {
    current.compute = endpoints_.held(index_, cs::Endpoint::compute);
    current.fragment = endpoints_.held(index_, cs::Endpoint::fragment);
    current.tiler = endpoints_.held(index_, cs::Endpoint::tiler);
    current.priority = share_.request.priority;
  }
  const auto out = output();
  out.set(&GroupOutput::status_endpoint_current, current.encode());
  out.set(&GroupOutput::status_endpoint_req, share_.request.encode());
  const bool idle = std::all_of(streams_.begin(), streams_.end(), [](const auto& s) { return s->idle(); });
  const bool told = idle && !machine_.faults.hits("csg-idle-status-lost");
  out.set(&GroupOutput::status_state, told ? csg::status_is_idle : 0);
  out.set(&GroupOutput::resource_dep, 0);
}

/// Copies `bits` of CSG_REQ to CSG_ACK and interrupts when the mask asks for it.
void GroupSlot::acknowledge(uint32_t bits) {
  const uint32_t req = input().get(&GroupInput::req), ack = output().get(&GroupOutput::ack);
  output().set(&GroupOutput::ack, (ack & ~bits) | (req & bits));
  if (input().get(&GroupInput::ack_irq_mask) & bits) machine_.gpu.raise_job_irq(1u << index_);
}

void GroupSlot::event(uint32_t bit) {
  const uint32_t req = input().get(&GroupInput::req), ack = output().get(&GroupOutput::ack);
  output().set(&GroupOutput::ack, (ack & ~bit) | (~req & bit));
  if (input().get(&GroupInput::ack_irq_mask) & bit) machine_.gpu.raise_job_irq(1u << index_);
}

void GroupSlot::stream_interrupt(unsigned cs) {
  const uint32_t bit = 1u << cs;
  const uint32_t ack = input().get(&GroupInput::cs_irq_ack), req = output().get(&GroupOutput::cs_irq_req);
  output().set(&GroupOutput::cs_irq_req, (req & ~bit) | (~ack & bit));
  machine_.gpu.raise_job_irq(1u << index_);
}

void GroupSlot::sync_updated(cs::SyncScope scope) {
  host_.sync_objects_changed();
  progressed();
  if (scope != cs::SyncScope::system) return;
  ++machine_.log.counter("fw.sync_updates");
  if (machine_.faults.hits("sync-update-lost")) return;
  event(csg::sync_update);
}

void GroupSlot::stream_changed() {
  if (state_ == State::suspending) suspend_if_quiescent();
  if (state_ == State::running) update_idle();
}

void GroupSlot::update_idle() {
  if (paused_ || machine_.memory.faulted()) return;
  const bool idle = std::all_of(streams_.begin(), streams_.end(), [](const auto& s) { return s->idle(); });
  if (idle == idle_) return;
  idle_ = idle;
  machine_.events.cancel(idle_event_);
  idle_event_ = 0;
  if (idle)
    idle_event_ = machine_.events.after(host_.idle_hysteresis_ns(), [this] {
      idle_event_ = 0;
      if (machine_.faults.hits("csg-idle-event-lost")) return;
      machine_.log.event("csg.idle", "slot={}", index_);
      ++machine_.log.counter("csg.idle_events");
      event(csg::idle);
    });
  host_.activity_changed();
}

// ---- Progress timer

void GroupSlot::progressed() {
  ++progress_;
  for (const auto& stream : streams_) stream->group_progressed();
}

void GroupSlot::jobs_changed() {
  if (state_ == State::running && progress_event_ == 0) arm_progress_timer();
  update_idle();
}

/// The timer runs while the group has jobs and expires when one holds an endpoint and retires no task
/// (assumed: a stream that loops by itself, or a job that waits for cores, is the host's to time out, as
/// panthor does after 5 s).
void GroupSlot::arm_progress_timer() {
  const uint64_t timeout = host_.progress_timeout_ns();
  const bool jobs =
      std::any_of(streams_.begin(), streams_.end(), [](const auto& s) { return s->has_jobs(); });
  progress_event_ = 0;
  if (timeout == 0 || !jobs) return;
  progress_seen_ = progress_ + endpoints_.retired(index_);
  progress_event_ = machine_.events.after(timeout, [this] { progress_timer_expired(); });
}

void GroupSlot::progress_timer_expired() {
  progress_event_ = 0;
  const bool jobs =
      std::any_of(streams_.begin(), streams_.end(), [](const auto& s) { return s->has_jobs(); });
  const bool running = endpoints_.held(index_, cs::Endpoint::compute) +
                           endpoints_.held(index_, cs::Endpoint::fragment) +
                           endpoints_.held(index_, cs::Endpoint::tiler) !=
                       0;
  if (jobs && running && !paused_ && progress_seen_ == progress_ + endpoints_.retired(index_)) {
    machine_.log.event("csg.progress_timeout", "slot={}", index_);
    ++machine_.log.counter("csg.progress_timeouts");
    event(csg::progress_timer_event);
  }
  arm_progress_timer();
}

// ---- Forwarded to the streams

void GroupSlot::address_space_resumed(unsigned as) {
  if (state_ == State::off || as != as_) return;
  for (const auto& stream : streams_) stream->address_space_resumed();
}

void GroupSlot::memory_changed() {
  if (state_ != State::running || paused_) return;
  for (const auto& stream : streams_) stream->memory_changed();
}

void GroupSlot::resources_changed() {
  for (const auto& stream : streams_) stream->resources_changed();
}

void GroupSlot::heap_changed() {
  for (const auto& stream : streams_) stream->heap_changed();
}

std::optional<uint64_t> GroupSlot::progress_of(unsigned queue) const {
  if (queue >= cs_count || !streams_[queue]->started()) return std::nullopt;
  return streams_[queue]->progress();
}

uint64_t GroupSlot::core_mask(cs::Endpoint endpoint) const {
  const bool fragment = endpoint == cs::Endpoint::fragment;
  return power_.enabled_cores() & (fragment ? share_.allow_fragment : share_.allow_compute);
}

void GroupSlot::use_power() {
  power_.use();
}

}  // namespace vgpu::fw
