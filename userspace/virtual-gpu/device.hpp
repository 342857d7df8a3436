// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>

#include "core/clock.hpp"
#include "core/event_log.hpp"
#include "core/event_queue.hpp"
#include "core/irq_lines.hpp"
#include "core/memory.hpp"
#include "faults/fault_injector.hpp"

namespace vgpu {

/// What a run may choose about the device.
struct DeviceOptions {
  /// mali_csffw.bin the guest will load; empty: the boot checks the shared section only.
  std::filesystem::path firmware;
  /// Every register write becomes a `reg.write` line of the event log.
  bool log_register_writes = false;
  /// What GPU_CYCLE_COUNT counts, Hz.
  uint64_t core_clock_hz = 1'000'000'000;
};

/// The whole virtual Mali-G610: the layers wired together, behind what any bus needs. No transport knows
/// more.
///
/// A transport's loop is: serve register accesses; events().run_due(); sleep until a message or
/// events().next_deadline_ns(). Nothing here blocks, and nothing is thread-safe: one thread drives one
/// device.
class Device {
 public:
  /// Throws fw::ImageError when options.firmware is no usable image.
  Device(Memory& memory, IrqLines& lines, const Clock& clock, EventLog& log, const DeviceOptions& options);
  Device(Memory& memory, IrqLines& lines, const Clock& clock, EventLog& log)
      : Device(memory, lines, clock, log, DeviceOptions{}) {}
  ~Device();
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  /// Guest access of 4 or 8 bytes at a byte offset in the 2 MiB window. Anything else is logged as
  /// unmodelled.
  [[nodiscard]] uint64_t read(uint32_t offset, unsigned size);
  void write(uint32_t offset, unsigned size, uint64_t value);

  /// True for registers that change by themselves (counters), and for offsets that name no register (their
  /// reads must be seen as unmodelled): a transport must not serve either from the shadow.
  [[nodiscard]] static bool is_volatile(uint32_t offset) noexcept;

  /// Shares the register values with the guest (see RegisterFile); detach before the memory goes away.
  void attach_shadow(std::span<uint32_t> words);
  void detach_shadow();

  /// Guest RAM was mapped, moved or unmapped: host addresses the device remembers are forgotten.
  void memory_changed() noexcept;

  [[nodiscard]] EventQueue& events() noexcept;
  [[nodiscard]] FaultInjector& faults() noexcept;

 private:
  struct Layers;
  std::unique_ptr<Layers> layers_;
};

}  // namespace vgpu
