// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

#include "firmware/layout.hpp"
#include "firmware/machine.hpp"
#include "firmware/performance_counters.hpp"
#include "firmware/power_policy.hpp"

namespace vgpu::fw {

/// The global interface (GLB): configuration, pings, events, and the doorbells of the groups.
///
/// Requests are a table (bit, name, handler). A request is acknowledged by copying its bit of GLB_REQ to
/// GLB_ACK, with JOB_INT_GLOBAL_IF when GLB_ACK_IRQ_MASK has the bit; an event is raised by making the bits
/// differ.
class GlobalInterface {
 public:
  GlobalInterface(Machine& machine, PowerPolicy& power)
      : machine_(machine), power_(power), counters_(machine) {}

  /// Writes every control block and clears every output: what firmware does on a start with fresh sections.
  void publish();
  /// A start with the sections of an earlier run (fast reset): outputs go on where they were.
  void carry_over();

  /// GLB_REQ or GLB_DOORBELL_REQ may have changed.
  void evaluate_requests();
  /// Raises one of glb::events.
  void event(uint32_t bit);
  /// GLB_HALT is acknowledged through MCU_STATUS; the firmware also mirrors it and says why it halted.
  void halted(uint32_t status);

  [[nodiscard]] bool idle_events() const noexcept { return idle_enabled_; }
  [[nodiscard]] uint64_t idle_hysteresis_ns() const noexcept { return idle_enabled_ ? idle_ns_ : 0; }
  [[nodiscard]] uint64_t progress_timeout_ns() const noexcept { return progress_timeout_ns_; }

  std::function<void()> on_halt, on_sleep;
  std::function<void(unsigned csg)> on_group_doorbell;

 private:
  struct Row {
    uint32_t bit;
    std::string_view name;
    bool (GlobalInterface::*handle)(bool level);  ///< false: not acknowledged (now)
  };
  static const Row rows[];

  [[nodiscard]] View<GlobalInput> input() const { return {machine_.memory, place::global_input}; }
  [[nodiscard]] View<GlobalOutput> output() const { return {machine_.memory, place::global_output}; }
  [[nodiscard]] uint64_t timer_ns(uint32_t value) const;

  bool halt(bool level);
  bool progress_timer(bool level);
  bool allocation(bool level);
  bool poweroff_timer(bool level);
  bool protected_mode(bool level);
  bool counters_enable(bool level);
  bool counters_sample(bool level);
  bool cycle_counter(bool level);
  bool ping(bool level);
  bool configuration(bool level);
  bool idle(bool level);
  bool sleep(bool level);

  Machine& machine_;
  PowerPolicy& power_;
  PerformanceCounters counters_;
  bool idle_enabled_ = false;
  uint64_t idle_ns_ = 0, progress_timeout_ns_ = 0;
};

}  // namespace vgpu::fw
