// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "core/event_log.hpp"
#include "core/event_queue.hpp"
#include "core/irq_lines.hpp"
#include "faults/fault_injector.hpp"
#include "registers/gpu_control.hpp"
#include "registers/irq_block.hpp"
#include "registers/mcu_port.hpp"
#include "registers/mmu_port.hpp"
#include "registers/power.hpp"
#include "registers/register_file.hpp"
#include "registers/register_map.hpp"

namespace vgpu {

/// The whole register layer behind one read and one write: owns the registers and the blocks that act on
/// them, and routes each access by the register map. What the map does not name, and what its rules forbid,
/// is unmodelled.
class RegisterBus {
 public:
  struct Timing {
    PowerControl::Timing power{};
    GpuControl::Timing gpu{};
  };

  RegisterBus(IrqLines& lines, EventQueue& events, FaultInjector& faults, EventLog& log, Timing timing);
  RegisterBus(IrqLines& lines, EventQueue& events, FaultInjector& faults, EventLog& log)
      : RegisterBus(lines, events, faults, log, Timing{}) {}
  RegisterBus(const RegisterBus&) = delete;
  RegisterBus& operator=(const RegisterBus&) = delete;

  /// The layers above; call it before the first guest access.
  void attach(MmuPort& mmu, McuPort& mcu);

  /// A guest read of `size` 4 bytes, or of 8 where a 64-bit register is, at a byte offset. Unmodelled reads
  /// give 0.
  [[nodiscard]] uint64_t read(uint32_t offset, unsigned size);
  /// A guest write; 64-bit registers take two word writes, low word first, or one of 8 bytes with the same
  /// effect.
  void write(uint32_t offset, unsigned size, uint64_t value);

  /// A transport must not serve reads here from the shadow: the value changes by itself, or no register is
  /// there and the read has to be counted as unmodelled.
  [[nodiscard]] static bool is_volatile(uint32_t offset) noexcept;

  /// Whether every write gives a `reg.write` event line. Off at first: a job is a dozen of them.
  void log_writes(bool on) noexcept { log_writes_ = on; }

  [[nodiscard]] RegisterFile& registers() noexcept { return registers_; }
  [[nodiscard]] IrqBlock& mmu_irq() noexcept { return mmu_irq_; }
  [[nodiscard]] IrqBlock& job_irq() noexcept { return job_irq_; }
  [[nodiscard]] IrqBlock& gpu_irq() noexcept { return gpu_irq_; }
  [[nodiscard]] GpuControl& gpu() noexcept { return gpu_; }
  [[nodiscard]] PowerControl& power() noexcept { return power_; }

 private:
  using Handler = void (RegisterBus::*)(const RegisterRef&, uint32_t offset, uint32_t value);

  void write_word(uint32_t offset, uint32_t value);
  void to_storage(const RegisterRef&, uint32_t offset, uint32_t value);
  void to_gpu_irq(const RegisterRef&, uint32_t offset, uint32_t value);
  void to_job_irq(const RegisterRef&, uint32_t offset, uint32_t value);
  void to_mmu_irq(const RegisterRef&, uint32_t offset, uint32_t value);
  void to_gpu_control(const RegisterRef&, uint32_t offset, uint32_t value);
  void to_power(const RegisterRef&, uint32_t offset, uint32_t value);
  void to_mmu(const RegisterRef&, uint32_t offset, uint32_t value);
  void to_doorbell(const RegisterRef&, uint32_t offset, uint32_t value);
  void lose_clock(uint64_t duration_ns);

  EventLog& log_;
  EventQueue& events_;
  FaultInjector& faults_;
  uint64_t& reads_;
  uint64_t& writes_;
  bool log_writes_ = false;
  MmuPort* mmu_ = nullptr;
  RegisterFile registers_;
  IrqBlock gpu_irq_, job_irq_, mmu_irq_;
  PowerControl power_;
  GpuControl gpu_;
};

}  // namespace vgpu
