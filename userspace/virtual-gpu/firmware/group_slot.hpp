// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>

#include "firmware/endpoints.hpp"
#include "firmware/machine.hpp"
#include "firmware/power_policy.hpp"
#include "firmware/stream_slot.hpp"

namespace vgpu::fw {

/// What a group slot needs from the firmware as a whole.
class GroupHost {
 public:
  virtual ~GroupHost() = default;
  /// Some stream changed a sync object: streams of any group may go on.
  virtual void sync_objects_changed() = 0;
  /// Some stream began to wait for one: it must be polled, for the CPU may change it too.
  virtual void sync_wait_began() = 0;
  /// A group became idle or busy.
  virtual void activity_changed() = 0;
  [[nodiscard]] virtual uint64_t idle_hysteresis_ns() const = 0;   ///< before CSG_IDLE
  [[nodiscard]] virtual uint64_t progress_timeout_ns() const = 0;  ///< 0: none
};

/// One command-stream-group slot (CSG): its interface, state machine, events, and its eight streams.
///
/// State transitions take model time and are acknowledged at their end. TERMINATE ends the group whatever it
/// does; SUSPEND first waits for flushes and for accesses stalled on an MMU fault (assumed: real firmware
/// cannot save a stream in the middle of one), so the driver has to resolve or abort those.
class GroupSlot {
 public:
  GroupSlot(Machine& machine, EndpointPool& endpoints, PowerPolicy& power, GroupHost& host, unsigned index);
  ~GroupSlot();

  /// Requests of this slot may have changed (its bit of GLB_DOORBELL_REQ).
  void evaluate_requests();
  void user_doorbell(unsigned id);
  /// The MCU stops without saying goodbye: whatever ran is gone.
  void drop();
  void address_space_resumed(unsigned as);
  void memory_changed();

  [[nodiscard]] bool resident() const noexcept { return state_ != State::off; }
  [[nodiscard]] bool active() const;  ///< resident and not idle
  [[nodiscard]] bool waits_for_sync() const noexcept;
  /// GLB_SLEEP: everything stops where it is, and goes on later.
  void pause();
  void resume_paused();

  // ---- For the streams
  [[nodiscard]] unsigned index() const noexcept { return index_; }
  [[nodiscard]] unsigned address_space() const noexcept { return as_; }
  [[nodiscard]] const GroupEndpoints& share() const noexcept { return share_; }
  [[nodiscard]] EndpointPool& endpoints() noexcept { return endpoints_; }
  void stream_changed();
  void stream_waits() { host_.sync_wait_began(); }
  void stream_interrupt(unsigned cs);
  void sync_updated(cs::SyncScope scope);
  void progressed();
  void jobs_changed();
  void resources_changed();
  void heap_changed();
  void use_power();
  /// Shader cores a job of this kind may run on; a tiler job shades vertices where compute may run (assumed).
  [[nodiscard]] uint64_t core_mask(cs::Endpoint endpoint) const;
  [[nodiscard]] std::optional<uint64_t> progress_of(unsigned queue) const;

 private:
  enum class State : uint8_t { off, starting, running, suspending, terminating };

  [[nodiscard]] View<GroupInput> input() const { return {machine_.memory, place::group_input(index_)}; }
  [[nodiscard]] View<GroupOutput> output() const { return {machine_.memory, place::group_output(index_)}; }
  [[nodiscard]] uint32_t lost_requests(uint32_t req, uint32_t pending);
  [[nodiscard]] bool moving() const noexcept { return state_ != State::off && state_ != State::running; }
  void change_state(uint32_t wanted);
  void begin(bool resume);
  void suspend_if_quiescent();
  void finish_transition();
  void configure_endpoints();
  void publish_status();
  void acknowledge(uint32_t bits);
  void event(uint32_t bit);
  void update_idle();
  void arm_progress_timer();
  void progress_timer_expired();

  Machine& machine_;
  EndpointPool& endpoints_;
  PowerPolicy& power_;
  GroupHost& host_;
  const unsigned index_;
  State state_ = State::off;
  uint32_t transition_to_ = 0;  ///< CSG_STATE_* the running transition ends in
  bool waiting_to_save_ = false;
  bool paused_ = false;
  unsigned as_ = 0;
  GroupEndpoints share_;
  std::array<std::unique_ptr<StreamSlot>, cs_count> streams_;
  bool idle_ = true;
  uint64_t progress_ = 0, progress_seen_ = 0;
  EventQueue::Id transition_ = 0, idle_event_ = 0, progress_event_ = 0;
};

}  // namespace vgpu::fw
