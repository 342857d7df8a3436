// SPDX-License-Identifier: MIT
#include "firmware/global_interface.hpp"

#include <array>

#include "firmware/suspend_buffer.hpp"
#include "firmware/timing.hpp"

namespace vgpu::fw {
namespace {

/// INSTR_FEATURES in the initial data of the arch 10.8 image, and what panthor prints on RK3588 boards.
constexpr uint32_t instrumentation_features = 0x71;

template <class Block>
void clear(McuMemory& memory, uint32_t va) {
  static constexpr std::array<std::byte, sizeof(Block)> zero{};
  memory.write(va, zero);
}

}  // namespace

constexpr GlobalInterface::Row GlobalInterface::rows[] = {
    {glb::cfg_progress_timer, "progress_timer", &GlobalInterface::progress_timer},
    {glb::cfg_alloc_en, "alloc_en", &GlobalInterface::allocation},
    {glb::cfg_poweroff_timer, "poweroff_timer", &GlobalInterface::poweroff_timer},
    {glb::protm_enter, "protm_enter", &GlobalInterface::protected_mode},
    {glb::perfcnt_en, "perfcnt_en", &GlobalInterface::counters_enable},
    {glb::perfcnt_sample, "perfcnt_sample", &GlobalInterface::counters_sample},
    {glb::counter_en, "counter_en", &GlobalInterface::cycle_counter},
    {glb::ping, "ping", &GlobalInterface::ping},
    {glb::fwcfg_update, "fwcfg_update", &GlobalInterface::configuration},
    {glb::idle_en, "idle_en", &GlobalInterface::idle},
    {glb::sleep, "sleep", &GlobalInterface::sleep},
    {glb::halt, "halt", &GlobalInterface::halt},
};

void GlobalInterface::publish() {
  McuMemory& memory = machine_.memory;
  clear<GlobalOutput>(memory, place::global_output);
  idle_enabled_ = false;
  counters_enable(false);
  for (unsigned csg = 0; csg < csg_count; ++csg) {
    const View<GroupControl> group(memory, place::group_control(csg));
    group.set(&GroupControl::features, 0);
    group.set(&GroupControl::input_va, place::group_input(csg));
    group.set(&GroupControl::output_va, place::group_output(csg));
    group.set(&GroupControl::suspend_size, suspend_size);
    group.set(&GroupControl::protm_suspend_size, protm_suspend_size);
    group.set(&GroupControl::stream_num, cs_count);
    group.set(&GroupControl::stream_stride, place::stream_stride);
    clear<GroupOutput>(memory, place::group_output(csg));
    for (unsigned cs = 0; cs < cs_count; ++cs) {
      const View<StreamControl> stream(memory, place::stream_control(csg, cs));
      stream.set(&StreamControl::features, stream_features);
      stream.set(&StreamControl::input_va, place::stream_input(csg, cs));
      stream.set(&StreamControl::output_va, place::stream_output(csg, cs));
      clear<StreamOutput>(memory, place::stream_output(csg, cs));
    }
  }
  const View<GlobalControl> control(memory, shared_base);
  control.set(&GlobalControl::features, 0);
  control.set(&GlobalControl::input_va, place::global_input);
  control.set(&GlobalControl::output_va, place::global_output);
  control.set(&GlobalControl::group_num, csg_count);
  control.set(&GlobalControl::group_stride, place::group_stride);
  control.set(&GlobalControl::perfcnt_size, PerformanceCounters::size_register());
  control.set(&GlobalControl::instr_features, instrumentation_features);
  control.set(&GlobalControl::version, interface_version);  // last: it says that the rest is there
}

void GlobalInterface::carry_over() {
  const uint32_t req = input().get(&GlobalInput::req), ack = output().get(&GlobalOutput::ack);
  // Levels that are still set: the driver does not toggle them again after a fast reset.
  idle((req & glb::idle_en) != 0);
  counters_enable((req & glb::perfcnt_en) != 0);
  output().set(&GlobalOutput::ack, (ack & ~glb::halt) | (req & glb::halt));
}

void GlobalInterface::evaluate_requests() {
  const uint32_t req = input().get(&GlobalInput::req);
  const uint32_t pending = (req ^ output().get(&GlobalOutput::ack)) & glb::requests;
  uint32_t done = 0;
  for (const Row& row : rows) {
    if ((pending & row.bit) == 0 || machine_.memory.faulted()) continue;
    machine_.log.event("fw.request", "{}={}", row.name, (req & row.bit) != 0 ? 1 : 0);
    if ((this->*row.handle)((req & row.bit) != 0)) done |= row.bit;
  }
  if (done != 0) {
    const uint32_t ack = output().get(&GlobalOutput::ack);
    output().set(&GlobalOutput::ack, (ack & ~done) | (req & done));
    if (input().get(&GlobalInput::ack_irq_mask) & done) machine_.gpu.raise_job_irq(job_irq_global);
  }
  if ((req & ~(glb::requests | glb::events)) != 0)
    machine_.log.unmodelled("GLB_REQ bits the interface does not define");

  const uint32_t rung = input().get(&GlobalInput::doorbell_req);
  const uint32_t doorbells = rung ^ output().get(&GlobalOutput::doorbell_ack);
  output().set(&GlobalOutput::doorbell_ack, rung);
  for (unsigned csg = 0; csg < csg_count; ++csg)
    if (doorbells >> csg & 1) on_group_doorbell(csg);
}

void GlobalInterface::event(uint32_t bit) {
  const uint32_t req = input().get(&GlobalInput::req), ack = output().get(&GlobalOutput::ack);
  output().set(&GlobalOutput::ack, (ack & ~bit) | (~req & bit));
  if (input().get(&GlobalInput::ack_irq_mask) & bit) machine_.gpu.raise_job_irq(job_irq_global);
}

void GlobalInterface::halted(uint32_t status) {
  output().set(&GlobalOutput::halt_status, status);
  output().set(&GlobalOutput::ack, output().get(&GlobalOutput::ack) | glb::halt);
}

/// Timer values: [30:0] in units of 1024 ticks of the system timer or, with bit 31, of the GPU cycle counter
/// (panthor_fw.c panthor_fw_conv_timeout()).
uint64_t GlobalInterface::timer_ns(uint32_t value) const {
  const uint64_t hz =
      (value & glb::timer_counts_cycles) ? machine_.gpu.core_clock_hz() : machine_.gpu.timestamp_hz();
  const uint64_t ticks = uint64_t{value & glb::timer_value} << 10;
  return ticks / hz * 1'000'000'000 + ticks % hz * 1'000'000'000 / hz;
}

// ---- Handlers

bool GlobalInterface::halt(bool level) {
  if (level) on_halt();
  return !level;  // the level's acknowledgement is MCU_STATUS
}

bool GlobalInterface::progress_timer(bool) {
  const uint64_t cycles = uint64_t{input().get(&GlobalInput::progress_timer)}
                          << 10;  // PROGRESS_TIMEOUT_SCALE_SHIFT
  const uint64_t hz = machine_.gpu.core_clock_hz();
  progress_timeout_ns_ = cycles / hz * 1'000'000'000 + cycles % hz * 1'000'000'000 / hz;
  return true;
}

bool GlobalInterface::allocation(bool) {
  power_.set_enabled_cores(input().get(&GlobalInput::core_en_mask));
  return true;
}

bool GlobalInterface::poweroff_timer(bool) {
  power_.set_poweroff_delay(timer_ns(input().get(&GlobalInput::poweroff_timer)));
  return true;
}

/// No protected firmware sections are modelled, so the GPU leaves the mode at once (assumed).
bool GlobalInterface::protected_mode(bool level) {
  if (level) event(glb::protm_exit);
  return true;
}

bool GlobalInterface::counters_enable(bool level) {
  counters_.enable(level);
  return true;
}

bool GlobalInterface::counters_sample(bool) {
  const auto in = input();
  const auto insert = counters_.sample(in, output().get(&GlobalOutput::perfcnt_insert));
  if (insert)
    output().set(&GlobalOutput::perfcnt_insert, *insert);
  else
    event(glb::perfcnt_overflow);
  return true;
}

/// The cycle counter of the model always counts; the request only says that someone reads it.
bool GlobalInterface::cycle_counter(bool) {
  return true;
}

bool GlobalInterface::ping(bool) {
  ++machine_.log.counter("fw.pings");
  return !machine_.faults.hits("ping-ack-lost");
}

/// The modelled firmware has no configuration entries to re-read.
bool GlobalInterface::configuration(bool) {
  return true;
}

bool GlobalInterface::idle(bool level) {
  idle_enabled_ = level;
  idle_ns_ = timer_ns(input().get(&GlobalInput::idle_timer));
  return true;
}

bool GlobalInterface::sleep(bool level) {
  if (level) on_sleep();
  return true;
}

}  // namespace vgpu::fw
