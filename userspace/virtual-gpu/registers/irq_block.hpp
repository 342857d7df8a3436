// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string_view>

#include "core/event_log.hpp"
#include "core/irq_lines.hpp"
#include "faults/fault_injector.hpp"
#include "registers/register_file.hpp"

namespace vgpu {

/// How an IRQ block may lose events: `fault` is asked once for each raise that has one of `events` in it.
struct IrqLoss {
  FaultInjector& faults;
  std::string_view fault;  ///< a name of the catalogue
  uint32_t events;         ///< the bits that are an occasion, and that are lost
};

/// One RAWSTAT/CLEAR/MASK/STATUS block (JOB_INT, MMU_INT, GPU_INT).
///
/// RAWSTAT latches events until CLEAR, masked or not; STATUS = RAWSTAT & MASK always; the line is high while
/// STATUS != 0. A guest write of ones to RAWSTAT raises them (assumed, as on older Mali).
/// Source: panthor_device.h PANTHOR_IRQ_HANDLER.
class IrqBlock {
 public:
  static constexpr uint32_t rawstat = 0x0, clear = 0x4, mask = 0x8,
                            status = 0xc;  ///< byte offsets in the block

  /// `loss` may be nullptr (never loses); its content is copied.
  IrqBlock(RegisterFile& registers, uint32_t base, IrqLine line, IrqLines& lines, EventLog& log,
           const IrqLoss* loss = nullptr);

  /// Hardware side: latch `bits`.
  void raise(uint32_t bits);
  /// A guest write to one of the block's registers; `offset` from the block's base.
  void write(uint32_t offset, uint32_t value);
  /// Soft reset: RAWSTAT is cleared, MASK becomes `new_mask`.
  void reset(uint32_t new_mask);

  [[nodiscard]] uint32_t raw() const noexcept { return registers_.get(base_ + rawstat); }
  [[nodiscard]] uint32_t masked() const noexcept { return registers_.get(base_ + mask); }

 private:
  /// STATUS follows RAWSTAT and MASK, then the line follows STATUS.
  void update();

  RegisterFile& registers_;
  uint32_t base_;
  IrqLine line_;
  IrqLines& lines_;
  EventLog& log_;
  FaultInjector* faults_ = nullptr;
  std::string_view loss_fault_;
  uint32_t loss_events_ = 0;
  uint64_t& rises_;
  bool level_ = false;
};

}  // namespace vgpu
