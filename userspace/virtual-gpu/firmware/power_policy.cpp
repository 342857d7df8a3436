// SPDX-License-Identifier: MIT
#include "firmware/power_policy.hpp"

namespace vgpu::fw {

void PowerPolicy::set_enabled_cores(uint64_t mask) {
  enabled_cores_ = mask;
  if (on_) machine_.gpu.request_shader_power(mask);
  power_changed();
}

void PowerPolicy::request(bool on) {
  on_ = on;
  machine_.log.event("fw.power", "shader={:#x} tiler={}", on ? enabled_cores_ : 0, on ? 1 : 0);
  machine_.gpu.request_shader_power(on ? enabled_cores_ : 0);
  machine_.gpu.request_tiler_power(on);
  power_changed();
}

void PowerPolicy::use() {
  machine_.events.cancel(off_event_);
  off_event_ = 0;
  if (!on_) request(true);
  if (!active_) activity(false);
}

void PowerPolicy::activity(bool active) {
  active_ = active;
  machine_.events.cancel(off_event_);
  off_event_ = 0;
  if (!active && on_)
    off_event_ = machine_.events.after(poweroff_ns_, [this] {
      off_event_ = 0;
      if (!endpoints_.busy()) request(false);
    });
}

void PowerPolicy::power_changed() {
  const bool tiler = on_ && machine_.gpu.powered();
  endpoints_.set_available(on_ ? machine_.gpu.shader_ready() & enabled_cores_ : 0, tiler ? 1 : 0);
}

void PowerPolicy::off() {
  machine_.events.cancel(off_event_);
  off_event_ = 0;
  active_ = false;
  if (on_) request(false);
}

}  // namespace vgpu::fw
