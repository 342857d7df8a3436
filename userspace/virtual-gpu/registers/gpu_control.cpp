// SPDX-License-Identifier: MIT
#include "registers/gpu_control.hpp"

#include <array>
#include <utility>

#include "registers/gpu_irq.hpp"
#include "registers/register_map.hpp"

namespace vgpu {

namespace {

/// GPU_CMD: [7:0] type, [31:8] payload (panthor_gpu_regs.h GPU_CMD_DEF).
enum CommandType : uint32_t { command_nop = 0, command_reset = 1, command_flush_caches = 4 };
enum ResetPayload : uint32_t { soft_reset = 1, hard_reset = 2 };
/// FLUSH_CACHES payload: one nibble each for L2, load/store cache and the others; bit 0 clean, bit 1
/// invalidate.
constexpr uint32_t flush_payload_known = 0x333;

/// MCU_CONTROL values end at AUTO; MCU_STATUS_ENABLED (panthor_fw_regs.h).
constexpr uint32_t mcu_control_auto = 2, mcu_status_enabled = 1;

/// GPU_STATUS bits (panthor_gpu_regs.h); when each is set is assumed.
constexpr uint32_t status_active = 1u << 0, status_pwr_active = 1u << 1, status_page_fault = 1u << 4;

/// `ns` nanoseconds in ticks of `hz`, exact and without overflow for any model time.
constexpr uint64_t ticks(uint64_t ns, uint64_t hz) {
  constexpr uint64_t second = 1'000'000'000;
  return ns / second * hz + ns % second * hz / second;
}

}  // namespace

GpuControl::GpuControl(RegisterFile& registers, IrqBlock& gpu_irq, IrqBlock& job_irq, PowerControl& power,
                       EventQueue& events, FaultInjector& faults, EventLog& log, Timing timing)
    : registers_(registers),
      gpu_irq_(gpu_irq),
      job_irq_(job_irq),
      power_(power),
      events_(events),
      faults_(faults),
      log_(log),
      timing_(timing) {
  load_reset_values(registers_);
}

void GpuControl::attach(MmuPort& mmu, McuPort& mcu) {
  mmu_ = &mmu;
  mcu_ = &mcu;
  mmu.on_bus_fault = [this](uint8_t exception, uint64_t address) { raise_gpu_fault(exception, address); };
  power_.on_change = [this] { mcu_->power_changed(); };
}

void GpuControl::write(uint32_t offset, uint32_t value) {
  if (offset == reg::gpu_cmd) {
    command(value);
    return;
  }
  if (value > mcu_control_auto) {
    log_.unmodelled(fmt::format("MCU_CONTROL {:#x}", value));
    return;
  }
  registers_.set(reg::mcu_control, value);
  log_.event("mcu.control", "value={:#x}", value);
  if (mcu_) mcu_->mcu_control(value);
}

void GpuControl::command(uint32_t value) {
  struct Row {
    uint32_t type;
    bool during_reset;
    void (GpuControl::*run)(uint32_t payload);
  };
  static constexpr std::array<Row, 2> rows{{
      {command_reset, true, &GpuControl::reset_command},
      {command_flush_caches, false, &GpuControl::flush_command},
  }};
  const uint32_t type = value & 0xff;
  if (type == command_nop) return;
  for (const Row& row : rows) {
    if (row.type != type) continue;
    if (reset_event_ != 0 && !row.during_reset)
      log_.unmodelled(fmt::format("GPU_CMD {:#x} during a reset", value));
    else
      (this->*row.run)(value >> 8);
    return;
  }
  log_.unmodelled(fmt::format("GPU_CMD {:#x}", value));
}

void GpuControl::reset_command(uint32_t payload) {
  if (payload != soft_reset && payload != hard_reset) {
    log_.unmodelled(fmt::format("GPU_CMD reset {:#x}", payload));
    return;
  }
  reset(payload == soft_reset);
}

void GpuControl::reset(bool keep_gpu_mask) {
  log_.event("gpu.reset", "kind={}", keep_gpu_mask ? "soft" : "hard");
  ++log_.counter("gpu.resets");
  forget(keep_gpu_mask ? gpu_irq_.masked() : 0);
  reset_event_ = events_.after(timing_.soft_reset_ns, [this] {
    reset_event_ = 0;
    if (!faults_.hits("reset-completion-lost")) gpu_irq_.raise(gpu_irq::reset_completed);
  });
}

void GpuControl::lose_state() {
  forget(0);
}

void GpuControl::forget(uint32_t gpu_mask) {
  events_.cancel(std::exchange(reset_event_, 0));
  for (const EventQueue::Id flush : flushes_) events_.cancel(flush);
  flushes_.clear();

  if (mcu_) mcu_->gpu_reset();
  if (mmu_) mmu_->reset();
  power_.reset();
  const uint32_t flush_id = latest_flush_id();
  load_reset_values(registers_);
  registers_.set(reg::latest_flush_id, flush_id);
  job_irq_.reset(0);
  gpu_irq_.reset(gpu_mask);
}

void GpuControl::flush_command(uint32_t payload) {
  if ((payload & ~flush_payload_known) != 0)
    log_.unmodelled(fmt::format("GPU_CMD flush bits {:#x}", payload));
  const uint32_t id = flush_caches();
  log_.event("gpu.flush", "l2={:#x} lsc={:#x} other={:#x} id={:#x}", payload & 0xf, payload >> 4 & 0xf,
             payload >> 8 & 0xf, id);
  flushes_.push_back(events_.after(timing_.flush_ns, [this] { flush_done(); }));
}

void GpuControl::flush_done() {
  flushes_.erase(flushes_.begin());
  if (!faults_.hits("flush-completion-lost")) gpu_irq_.raise(gpu_irq::clean_caches_completed);
}

uint32_t GpuControl::flush_caches() {
  ++log_.counter("gpu.flushes");
  uint32_t id = latest_flush_id() + 1;
  if (id == 0) id = 1;  // 0 in a job means "always flush": it must never be a real id
  registers_.set(reg::latest_flush_id, id);
  return id;
}

uint32_t GpuControl::latest_flush_id() const {
  return registers_.get(reg::latest_flush_id);
}

void GpuControl::ring_doorbell(unsigned id) {
  if (faults_.hits("doorbell-lost", id == 0 ? "global" : "user")) return;
  log_.event("doorbell.ring", "id={}", id);
  if (mcu_) mcu_->doorbell(id);
}

uint64_t GpuControl::read_live(uint32_t offset) const {
  if (offset == reg::cycle_count) return cycle_count();
  if (offset == reg::timestamp) return timestamp();
  const bool busy =
      reset_event_ != 0 || !flushes_.empty() || registers_.get(reg::mcu_status) == mcu_status_enabled;
  return (busy ? status_active : 0) | (power_.anything_on() ? status_pwr_active : 0) |
         (mmu_ && mmu_->fault_pending() ? status_page_fault : 0);
}

void GpuControl::raise_gpu_fault(uint8_t exception, uint64_t address) {
  log_.event("gpu.fault", "code={:#x} address={:#x}", exception, address);
  ++log_.counter("gpu.faults");
  if ((gpu_irq_.raw() & gpu_irq::fault) == 0) {
    registers_.set(reg::gpu_fault_status, exception);
    registers_.set64(reg::gpu_fault_addr, address);
  }
  gpu_irq_.raise(gpu_irq::fault);
}

void GpuControl::set_mcu_status(uint32_t value) {
  if (registers_.get(reg::mcu_status) == value) return;
  registers_.set(reg::mcu_status, value);
  log_.event("mcu.status", "value={:#x}", value);
  gpu_irq_.raise(gpu_irq::mcu_status_changed);
}

void GpuControl::raise_job_irq(uint32_t bits) {
  job_irq_.raise(bits);
}

void GpuControl::request_shader_power(uint64_t core_mask) {
  power_.request_from_mcu(PowerDomain::shader, core_mask);
}

void GpuControl::request_tiler_power(bool on) {
  power_.request_from_mcu(PowerDomain::tiler, on ? 1 : 0);
}

uint64_t GpuControl::cycle_count() const {
  return ticks(events_.now_ns(), timing_.core_clock_hz);
}

uint64_t GpuControl::timestamp() const {
  return ticks(events_.now_ns(), timestamp_hz_value) + registers_.get64(reg::timestamp_offset);
}

}  // namespace vgpu
