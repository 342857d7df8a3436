// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "firmware/endpoints.hpp"
#include "firmware/machine.hpp"

namespace vgpu::fw {

/// The MCU's ownership of shader and tiler power (MCU_CONTROL_AUTO): on when a job needs them, off when
/// nothing has been active for GLB_PWROFF_TIMER.
class PowerPolicy {
 public:
  PowerPolicy(Machine& machine, EndpointPool& endpoints) : machine_(machine), endpoints_(endpoints) {}
  ~PowerPolicy() { machine_.events.cancel(off_event_); }
  PowerPolicy(const PowerPolicy&) = delete;
  PowerPolicy& operator=(const PowerPolicy&) = delete;

  void set_enabled_cores(uint64_t mask);  ///< GLB_CFG_ALLOC_EN
  [[nodiscard]] uint64_t enabled_cores() const noexcept { return enabled_cores_; }
  void set_poweroff_delay(uint64_t ns) noexcept { poweroff_ns_ = ns; }
  void use();                  ///< a job wants to run
  void activity(bool active);  ///< some group is active, or none
  void power_changed();        ///< READY of some domain changed
  void off();                  ///< the MCU stops

 private:
  void request(bool on);

  Machine& machine_;
  EndpointPool& endpoints_;
  uint64_t enabled_cores_ = ~uint64_t{0};
  uint64_t poweroff_ns_ = 0;
  bool on_ = false, active_ = false;
  EventQueue::Id off_event_ = 0;
};

}  // namespace vgpu::fw
