// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>

#include "core/event_log.hpp"
#include "core/irq_lines.hpp"
#include "transport/virtqueue.hpp"

namespace vgpu::transport {

/// Turns the levels of the model's interrupt lines into messages on the irq queue.
///
/// A line is delivered when it is high and not in service; it is in service from then until the guest ends
/// the interrupt, and is looked at again then (kernel-patches/lab/panthor_vgpu_wire.h).
class IrqDelivery final : public IrqLines {
 public:
  explicit IrqDelivery(EventLog& log) : log_(log), delivered_(log.counter("transport.irqs")) {}

  void set_level(IrqLine line, bool asserted) override { level_[static_cast<size_t>(line)] = asserted; }

  /// The guest's handler of a line has run. False for a line that is not in service or does not exist.
  bool end_of_interrupt(uint64_t line) noexcept;
  /// The guest starts anew: nothing is in service.
  void reset() noexcept { in_service_.fill(false); }

  [[nodiscard]] bool due() const noexcept;
  /// Sends what is due. True when something was put on the queue: then the guest has to be called.
  bool deliver(Virtqueue& queue, Memory& memory);

 private:
  EventLog& log_;
  uint64_t& delivered_;
  std::array<bool, irq_line_count> level_{};
  std::array<bool, irq_line_count> in_service_{};
};

}  // namespace vgpu::transport
