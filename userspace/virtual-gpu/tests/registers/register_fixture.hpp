// SPDX-License-Identifier: MIT
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <utility>
#include <vector>

#include "core/clock.hpp"
#include "core/event_log.hpp"
#include "core/event_queue.hpp"
#include "core/irq_lines.hpp"
#include "faults/fault_injector.hpp"
#include "registers/gpu_irq.hpp"
#include "registers/register_bus.hpp"

namespace vgpu::test {

/// Remembers what the register layer told the MCU.
class RecordedMcu final : public McuPort {
 public:
  void mcu_control(uint32_t value) override { controls.push_back(value); }
  void doorbell(unsigned id) override { doorbells.push_back(id); }
  void gpu_reset() override { ++resets; }
  void power_changed() override { ++power_changes; }

  std::vector<uint32_t> controls;
  std::vector<unsigned> doorbells;
  unsigned resets = 0;
  unsigned power_changes = 0;
};

class RecordedMmu final : public MmuPort {
 public:
  void write_register(uint32_t offset, uint32_t value) override { writes.emplace_back(offset, value); }
  void reset() override { ++resets; }
  [[nodiscard]] bool fault_pending() const override { return fault; }

  std::vector<std::pair<uint32_t, uint32_t>> writes;
  unsigned resets = 0;
  bool fault = false;
};

/// A register layer on a virtual clock, driven the way the driver does.
class RegisterFixture : public testing::Test {
 protected:
  RegisterFixture() { bus.attach(mmu, mcu); }

  uint32_t read(uint32_t offset) { return static_cast<uint32_t>(bus.read(offset, 4)); }
  uint64_t read64(uint32_t offset) { return bus.read(offset, 8); }
  void write(uint32_t offset, uint32_t value) { bus.write(offset, 4, value); }
  /// As gpu_write64: low word, then high word.
  void write64(uint32_t offset, uint64_t value) {
    write(offset, static_cast<uint32_t>(value));
    write(offset + 4, static_cast<uint32_t>(value >> 32));
  }
  /// Lets `ns` pass, event by event.
  void pass(uint64_t ns) {
    const uint64_t end = clock.now_ns() + ns;
    while (events.next_deadline_ns() && *events.next_deadline_ns() <= end) {
      clock.advance_to(*events.next_deadline_ns());
      events.run_due();
    }
    clock.advance_to(end);
  }

  VirtualClock clock;
  EventLog log{clock};
  EventQueue events{clock};
  FaultInjector faults{log};
  RecordedIrqLines lines;
  RecordedMcu mcu;
  RecordedMmu mmu;
  RegisterBus bus{lines, events, faults, log};
};

}  // namespace vgpu::test
