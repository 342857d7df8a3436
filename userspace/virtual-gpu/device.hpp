// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "core/clock.hpp"
#include "core/event_log.hpp"
#include "core/event_queue.hpp"
#include "core/irq_lines.hpp"
#include "core/memory.hpp"
#include "faults/fault_injector.hpp"

namespace vgpu {

/// The whole virtual Mali-G610: the layers wired together, behind what any bus needs. No transport knows more.
///
/// A transport's loop is: serve register accesses; events().run_due(); sleep until a message or
/// events().next_deadline_ns(). Nothing here blocks, and nothing is thread-safe: one thread drives one device.
class Device {
 public:
  Device(Memory& memory, IrqLines& lines, const Clock& clock, EventLog& log);
  ~Device();
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  /// Guest access of 4 or 8 bytes at a byte offset in the 2 MiB window. Anything else is logged as unmodelled.
  [[nodiscard]] uint64_t read(uint32_t offset, unsigned size);
  void write(uint32_t offset, unsigned size, uint64_t value);

  /// True for registers that change by themselves (counters): a transport must not serve them from the shadow.
  [[nodiscard]] static bool is_volatile(uint32_t offset) noexcept;

  /// Shares the register values with the guest (see RegisterFile); detach before the memory goes away.
  void attach_shadow(std::span<uint32_t> words);
  void detach_shadow();

  [[nodiscard]] EventQueue& events() noexcept;
  [[nodiscard]] FaultInjector& faults() noexcept;

 private:
  struct Layers;
  std::unique_ptr<Layers> layers_;
};

}  // namespace vgpu
