// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "core/event_log.hpp"
#include "core/irq_lines.hpp"
#include "registers/register_file.hpp"

namespace vgpu {

/// One RAWSTAT/CLEAR/MASK/STATUS block (JOB_INT, MMU_INT, GPU_INT).
///
/// RAWSTAT latches events until CLEAR; STATUS = RAWSTAT & MASK always; the line is high while STATUS != 0.
/// Source: panthor_device.h PANTHOR_IRQ_HANDLER.
class IrqBlock {
 public:
  static constexpr uint32_t rawstat = 0x0, clear = 0x4, mask = 0x8, status = 0xc;  ///< byte offsets in the block

  IrqBlock(RegisterFile& registers, uint32_t base, IrqLine line, IrqLines& lines, EventLog& log);

  /// Hardware side: latch `bits`.
  void raise(uint32_t bits);
  /// A guest write to one of the block's registers; `offset` from the block's base.
  void write(uint32_t offset, uint32_t value);
  /// Soft reset: RAWSTAT is cleared, MASK becomes `new_mask`.
  void reset(uint32_t new_mask);

  [[nodiscard]] uint32_t raw() const noexcept { return registers_.get(base_ + rawstat); }
  [[nodiscard]] uint32_t masked() const noexcept { return registers_.get(base_ + mask); }

 private:
  void update();

  RegisterFile& registers_;
  uint32_t base_;
  IrqLine line_;
  IrqLines& lines_;
  EventLog& log_;
  bool level_ = false;
};

}  // namespace vgpu
