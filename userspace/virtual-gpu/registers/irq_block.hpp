// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "core/event_log.hpp"
#include "core/event_queue.hpp"
#include "core/irq_lines.hpp"
#include "faults/fault_injector.hpp"
#include "registers/register_file.hpp"

namespace vgpu {

/// How an IRQ block may fail: the LINE-irq-*, LINE-line-low and LINE-unmask-lost rows of the catalogue.
struct IrqFaults {
  FaultInjector& faults;
  EventQueue& events;
  uint32_t occasions;  ///< a raise with one of these bits is one; only they are lost, late or doubled
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

  /// `faults` may be nullptr (never fails); its content is copied.
  IrqBlock(RegisterFile& registers, uint32_t base, IrqLine line, IrqLines& lines, EventLog& log,
           const IrqFaults* faults = nullptr);
  IrqBlock(const IrqBlock&) = delete;
  IrqBlock& operator=(const IrqBlock&) = delete;
  ~IrqBlock();

  /// Hardware side: latch `bits`.
  void raise(uint32_t bits);
  /// A guest write to one of the block's registers; `offset` from the block's base.
  void write(uint32_t offset, uint32_t value);
  /// Soft reset: RAWSTAT is cleared, MASK becomes `new_mask`.
  void reset(uint32_t new_mask);

  [[nodiscard]] uint32_t raw() const noexcept { return registers_.get(base_ + rawstat); }
  [[nodiscard]] uint32_t masked() const noexcept { return registers_.get(base_ + mask); }

 private:
  struct FaultNames {
    std::string_view lost, late, twice, line_low, unmask_lost;
  };
  static const FaultNames fault_names[irq_line_count];

  void latch(uint32_t bits);
  /// What of `bits` is latched now; the rest is lost, or comes later.
  [[nodiscard]] uint32_t on_time(uint32_t bits);
  void latch_after(uint64_t delay_ns, uint32_t bits);
  [[nodiscard]] const FaultNames& names() const { return fault_names[static_cast<size_t>(line_)]; }
  /// STATUS follows RAWSTAT and MASK, then the line follows STATUS.
  void update();

  RegisterFile& registers_;
  uint32_t base_;
  IrqLine line_;
  IrqLines& lines_;
  EventLog& log_;
  FaultInjector* faults_ = nullptr;
  EventQueue* events_ = nullptr;
  uint32_t occasions_ = 0;
  std::vector<EventQueue::Id> later_;  ///< events that faults delay or double
  uint64_t& rises_;
  bool level_ = false;
};

}  // namespace vgpu
