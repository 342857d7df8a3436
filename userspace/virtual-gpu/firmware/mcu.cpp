// SPDX-License-Identifier: MIT
#include "firmware/mcu.hpp"

#include <algorithm>

#include "firmware/timing.hpp"

namespace vgpu::fw {

Mcu::Mcu(GpuPort& gpu, Mmu& mmu, EventQueue& events, FaultInjector& faults, EventLog& log, JobModel& jobs,
         const Image* image)
    : memory_(mmu),
      machine_{mmu, gpu, events, faults, log, memory_, jobs},
      endpoints_(events, log),
      power_(machine_, endpoints_),
      global_(machine_, power_),
      image_(image) {
  GroupHost& host = *this;
  for (unsigned i = 0; i < csg_count; ++i)
    groups_[i] = std::make_unique<GroupSlot>(machine_, endpoints_, power_, host, i);
  global_.on_halt = [this] { begin_halt(); };
  global_.on_sleep = [this] { sleep(); };
  global_.on_group_doorbell = [this](unsigned csg) { groups_[csg]->evaluate_requests(); };
  memory_.on_fault = [this](uint64_t va) {
    // Not at once: whoever made the access is still in the middle of something.
    fault_event_ = machine_.events.after(0, [this, va] { die(fmt::format("fault at {:#x}", va)); });
  };
}

Mcu::~Mcu() {
  for (const auto id : {boot_event_, evaluate_event_, wake_event_, poll_event_, idle_event_, fault_event_})
    machine_.events.cancel(id);
}

// ---- Start and stop

void Mcu::mcu_control(uint32_t value) {
  switch (static_cast<McuControl>(value)) {
    case McuControl::disable:
      machine_.log.event("fw.stop");
      stop(State::off);
      machine_.gpu.set_mcu_status(static_cast<uint32_t>(McuStatus::disabled));
      return;
    case McuControl::enable:
    case McuControl::automatic:
      if (state_ == State::sleeping)
        wake();
      else if (state_ == State::off || state_ == State::halted)
        start_boot();
      else
        machine_.log.event("fw.start_ignored");
      return;
  }
  machine_.log.unmodelled("MCU_CONTROL value");
}

void Mcu::start_boot() {
  state_ = State::booting;
  if (machine_.faults.hits("mcu-boot-lost")) return;
  boot_event_ = machine_.events.after(timing::boot_ns, [this] { boot(); });
}

void Mcu::boot() {
  boot_event_ = 0;
  if (!machine_.gpu.powered()) {
    machine_.log.event("fw.wait_for_power");
    state_ = State::waiting_for_power;
    return;
  }
  memory_.clear_fault();
  if (machine_.faults.hits("mcu-fatal-on-boot")) return die("injected");
  if (!sections_mapped()) return die("sections");
  const bool fresh = cold_ || memory_.load<uint32_t>(shared_base) == 0;
  if (fresh)
    global_.publish();
  else
    global_.carry_over();
  if (memory_.faulted()) return;  // die() is on its way
  cold_ = false;
  active_ = false;
  state_ = State::running;
  ++machine_.log.counter("fw.boots");
  machine_.log.event("fw.boot", "version=1.5 sections={}", fresh ? "fresh" : "kept");
  machine_.gpu.set_mcu_status(static_cast<uint32_t>(McuStatus::enabled));
  machine_.gpu.raise_job_irq(job_irq_global);
}

/// Real firmware would not get far with a section missing or not as it was built for.
bool Mcu::sections_mapped() {
  constexpr uint32_t page = 4096;
  const auto mapped = [&](uint32_t va, Access access) {
    return machine_.mmu.translate(Mmu::mcu_as, va, access, Master::mcu).result == AccessResult::ok;
  };
  if (!image_) return mapped(shared_base, Access::read) && mapped(shared_base, Access::write);
  for (const Section& s : image_->sections) {
    for (uint32_t va = s.va_start; va < s.va_end; va += page) {
      if ((s.has(section_flag::read) && !mapped(va, Access::read)) ||
          (s.has(section_flag::write) && !mapped(va, Access::write)) ||
          (s.has(section_flag::execute) && !mapped(va, Access::execute))) {
        machine_.log.event("fw.bad_section", "va={:#x} name={}", va, s.name);
        return false;
      }
      if (va > UINT32_MAX - page) break;
    }
  }
  return true;
}

/// The MCU executes no more: groups, events and timers are gone, memory stays as it is.
void Mcu::stop(State next) {
  state_ = next;
  for (auto* id : {&boot_event_, &evaluate_event_, &wake_event_, &poll_event_, &idle_event_, &fault_event_})
    machine_.events.cancel(std::exchange(*id, 0));
  for (const auto& group : groups_) group->drop();
  power_.off();
  active_ = false;
}

void Mcu::die(std::string_view why) {
  machine_.log.event("fw.fatal", "reason=\"{}\"", why);
  ++machine_.log.counter("fw.fatals");
  stop(State::fatal);
  machine_.gpu.set_mcu_status(static_cast<uint32_t>(McuStatus::fatal));
}

void Mcu::gpu_reset() {
  stop(State::off);
  cold_ = true;
}

void Mcu::begin_halt() {
  if (state_ != State::running || machine_.faults.hits("mcu-halt-lost")) return;
  state_ = State::halting;
  boot_event_ = machine_.events.after(timing::halt_ns, [this] {
    boot_event_ = 0;
    if (std::any_of(groups_.begin(), groups_.end(), [](const auto& g) { return g->resident(); }))
      machine_.log.unmodelled("GLB_HALT with groups on their slots");
    global_.halted(glb::halt_ok);
    machine_.log.event("fw.halt");
    stop(State::halted);
    machine_.gpu.set_mcu_status(static_cast<uint32_t>(McuStatus::halt));
  });
}

/// GLB_SLEEP: groups stay on their slots and stop; MCU_CONTROL or a doorbell wakes the MCU (assumed).
void Mcu::sleep() {
  for (const auto& group : groups_) group->pause();
  power_.off();
  state_ = State::sleeping;
  machine_.log.event("fw.sleep");
  machine_.gpu.set_mcu_status(static_cast<uint32_t>(McuStatus::halt));
}

void Mcu::wake() {
  state_ = State::running;
  machine_.log.event("fw.wake");
  machine_.gpu.set_mcu_status(static_cast<uint32_t>(McuStatus::enabled));
  for (const auto& group : groups_) group->resume_paused();
}

// ---- From the hardware

void Mcu::doorbell(unsigned id) {
  if (state_ == State::sleeping) wake();
  if (state_ != State::running && state_ != State::halting) return;
  if (machine_.faults.hits("mcu-fatal")) return die("injected");
  if (machine_.faults.hits("mcu-hung")) {
    machine_.log.event("fw.hung");
    return stop(State::hung);
  }
  if (id != 0) {
    for (const auto& group : groups_) group->user_doorbell(id);
    return;
  }
  if (evaluate_event_ == 0)
    evaluate_event_ = machine_.events.after(timing::doorbell_ns, [this] { evaluate(); });
}

void Mcu::evaluate() {
  evaluate_event_ = 0;
  global_.evaluate_requests();
  look_at_memory();
}

void Mcu::power_changed() {
  if (state_ == State::waiting_for_power && machine_.gpu.powered()) {
    state_ = State::booting;
    boot_event_ = machine_.events.after(0, [this] { boot(); });
  }
  if (state_ != State::running) return;
  if (machine_.gpu.powered())
    power_.power_changed();
  else
    die("the L2 lost its power");
}

void Mcu::address_space_resumed(unsigned as) {
  if (state_ != State::running && state_ != State::halting) return;
  for (const auto& group : groups_) group->address_space_resumed(as);
}

// ---- For the groups

void Mcu::sync_objects_changed() {
  if (wake_event_ == 0)
    wake_event_ = machine_.events.after(timing::sync_wake_ns, [this] {
      wake_event_ = 0;
      look_at_memory();
    });
}

void Mcu::look_at_memory() {
  if (state_ != State::running) return;
  for (const auto& group : groups_) group->memory_changed();
}

void Mcu::sync_wait_began() {
  if (poll_event_ == 0) poll_event_ = machine_.events.after(timing::sync_poll_ns, [this] { poll(); });
}

void Mcu::poll() {
  poll_event_ = 0;
  look_at_memory();
  if (std::any_of(groups_.begin(), groups_.end(), [](const auto& g) { return g->waits_for_sync(); }))
    sync_wait_began();
}

void Mcu::activity_changed() {
  const bool active = std::any_of(groups_.begin(), groups_.end(), [](const auto& g) { return g->active(); });
  if (active == active_) return;
  active_ = active;
  power_.activity(active);
  machine_.events.cancel(std::exchange(idle_event_, 0));
  if (!active && global_.idle_events())
    idle_event_ = machine_.events.after(global_.idle_hysteresis_ns(), [this] {
      idle_event_ = 0;
      machine_.log.event("fw.idle");
      global_.event(glb::idle);
    });
}

}  // namespace vgpu::fw
