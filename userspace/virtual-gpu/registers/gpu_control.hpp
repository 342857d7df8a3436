// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "core/event_log.hpp"
#include "core/event_queue.hpp"
#include "faults/fault_injector.hpp"
#include "registers/irq_block.hpp"
#include "registers/mcu_port.hpp"
#include "registers/mmu_port.hpp"
#include "registers/power.hpp"
#include "registers/register_file.hpp"

namespace vgpu {

/// GPU_CONTROL and MCU_CONTROL: commands, resets, cache flushes, clocks, GPU faults, doorbells.
///
/// - Soft reset: at the command the MCU, the MMU, power and running flushes are lost and every register
/// returns to
///   its reset value, except GPU_INT_MASK and LATEST_FLUSH_ID; RESET_COMPLETED follows after the latency. The
///   cycle counter runs on (assumed). Commands during a reset are ignored, but a reset starts the latency
///   again (assumed).
/// - Hard reset: the same, and GPU_INT_MASK is cleared too (assumed; panthor never asks for one).
/// - FLUSH_CACHES: LATEST_FLUSH_ID moves on at the command, CLEAN_CACHES_COMPLETED comes after the latency.
/// Commands
///   overlap freely; each one ends with the bit, which RAWSTAT may merge (assumed). A powered-off GPU flushes
///   nothing and completes all the same (assumed).
/// - GPU_FAULT_STATUS and GPU_FAULT_ADDR keep the first fault until GPU_IRQ_FAULT is cleared (assumed).
/// Source: panthor_gpu.c, panthor_gpu_regs.h.
class GpuControl final : public GpuPort {
 public:
  struct Timing {
    uint64_t soft_reset_ns = 10'000;         ///< command to RESET_COMPLETED; assumed
    uint64_t flush_ns = 2'000;               ///< command to CLEAN_CACHES_COMPLETED; assumed
    uint64_t core_clock_hz = 1'000'000'000;  ///< what CYCLE_COUNT counts; RK3588's highest operating point
  };
  static constexpr uint64_t timestamp_hz_value = 24'000'000;  ///< RK3588's system counter

  /// Also loads every register's reset value.
  GpuControl(RegisterFile& registers, IrqBlock& gpu_irq, IrqBlock& job_irq, PowerControl& power,
             EventQueue& events, FaultInjector& faults, EventLog& log, Timing timing);

  /// The layers above. Both must outlive this object's use; without them doorbells and resets end here.
  void attach(MmuPort& mmu, McuPort& mcu);

  /// A guest write to GPU_CMD or MCU_CONTROL, `offset` in bytes from the window's start.
  void write(uint32_t offset, uint32_t value);
  /// A guest write to doorbell page `id`. The value does not matter (the driver writes 1).
  void ring_doorbell(unsigned id);

  /// GPU_CYCLE_COUNT, GPU_TIMESTAMP (64 bits) and GPU_STATUS, by the register's offset, as they are now.
  [[nodiscard]] uint64_t read_live(uint32_t offset) const;

  /// Reports DRM_PANTHOR_EXCEPTION_* `exception` at `address` and raises GPU_IRQ_FAULT.
  void raise_gpu_fault(uint8_t exception, uint64_t address);

  void set_mcu_status(uint32_t value) override;
  void raise_job_irq(uint32_t bits) override;
  void request_shader_power(uint64_t core_mask) override;
  void request_tiler_power(bool on) override;
  [[nodiscard]] bool powered() const override { return power_.ready(PowerDomain::l2) != 0; }
  [[nodiscard]] uint64_t shader_ready() const override { return power_.ready(PowerDomain::shader); }
  [[nodiscard]] uint64_t cycle_count() const override;
  [[nodiscard]] uint64_t timestamp() const override;
  [[nodiscard]] uint64_t core_clock_hz() const override { return timing_.core_clock_hz; }
  [[nodiscard]] uint64_t timestamp_hz() const override { return timestamp_hz_value; }
  uint32_t flush_caches() override;
  [[nodiscard]] uint32_t latest_flush_id() const override;

  /// Everything the GPU knew is gone, and every register as after power-on; nothing is raised.
  void lose_state();

  /// Nanoseconds a cache flush takes, whoever asks for it.
  [[nodiscard]] uint64_t flush_ns() const noexcept { return timing_.flush_ns; }

 private:
  void command(uint32_t value);
  void reset_command(uint32_t payload);
  void flush_command(uint32_t payload);
  void reset(bool keep_gpu_mask);
  void forget(uint32_t gpu_mask);
  void flush_done();

  RegisterFile& registers_;
  IrqBlock& gpu_irq_;
  IrqBlock& job_irq_;
  PowerControl& power_;
  EventQueue& events_;
  FaultInjector& faults_;
  EventLog& log_;
  Timing timing_;
  MmuPort* mmu_ = nullptr;
  McuPort* mcu_ = nullptr;
  EventQueue::Id reset_event_ = 0;
  std::vector<EventQueue::Id> flushes_;  ///< running FLUSH_CACHES commands, oldest first
};

}  // namespace vgpu
