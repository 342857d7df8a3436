// SPDX-License-Identifier: MIT
#pragma once

#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <vector>

#include "mmu/as_registers.hpp"
#include "mmu/fault_code.hpp"
#include "mmu/mmu.hpp"
#include "registers/register_bus.hpp"
#include "tests/mmu/page_table.hpp"
#include "tests/registers/register_fixture.hpp"

namespace vgpu::test {

/// An MMU behind its registers, with RAM, page tables and one address space, driven as panthor_mmu.c does.
class MmuFixture : public testing::Test {
 protected:
  static constexpr uint64_t ram = 0x8000'0000, ram_size = 0x100'0000;
  static constexpr uint64_t tables = ram, pages = ram + 0x40'0000;  ///< pages is 2 MiB aligned
  static constexpr unsigned as = 1;
  /// panthor_vm_active: 4 KiB granule, 48-bit VA, PTW write-back.
  static constexpr uint64_t transcfg = 6 | 7u << 6 | 2u << 24 | 1u << 30;

  MmuFixture() {
    bus.attach(mmu, mcu);
    mmu.on_resume = [this](unsigned space) { resumed.push_back(space); };
  }

  [[nodiscard]] static uint32_t block(unsigned space, uint32_t offset) {
    return 0x2400 + space * 0x40 + offset;
  }
  uint32_t read(uint32_t offset) { return static_cast<uint32_t>(bus.read(offset, 4)); }
  uint32_t fault_status() { return read(block(as, as::faultstatus)); }
  uint64_t fault_address() { return bus.read(block(as, as::faultaddress), 8); }
  [[nodiscard]] uint32_t rawstat() { return read(0x2000); }

  void pass(uint64_t ns) {
    clock.advance_by(ns);
    events.run_due();
  }
  /// as_send_cmd_and_wait().
  void command(as::Command value, unsigned space = as) {
    bus.write(block(space, as::command), 4, static_cast<uint32_t>(value));
    pass(Mmu::command_ns);
    ASSERT_EQ(read(block(space, as::status)), 0u);
  }
  /// panthor_mmu_as_enable().
  void enable(uint64_t config = transcfg, uint64_t memattr = 0) {
    bus.write(block(as, as::transtab), 8, table.root());
    bus.write(block(as, as::memattr), 8, memattr);
    bus.write(block(as, as::transcfg), 8, config);
    command(as::Command::update);
    resumed.clear();
  }
  /// panthor_mmu_as_disable(), without the cache flush.
  void disable() {
    bus.write(block(as, as::transtab), 8, 0);
    bus.write(block(as, as::memattr), 8, 0);
    bus.write(block(as, as::transcfg), 8, 1);
    command(as::Command::update);
  }
  /// pack_region_range() and LOCK.
  void lock(uint64_t start, uint64_t size) {
    const unsigned width =
        std::max(64u - static_cast<unsigned>(std::countl_zero(start ^ (start + size - 1))), 15u) - 1;
    bus.write(block(as, as::lockaddr), 8, (start & ~uint64_t{0} << width) | width);
    command(as::Command::lock);
  }
  void unlock() { command(as::Command::unlock); }

  Mmu::Lookup lookup(uint64_t va, Access access = Access::read, Master master = Master::command_stream) {
    return mmu.translate(as, va, access, master);
  }
  /// Where `va` leads now, as a physical address; 0 when the access does not end well.
  uint64_t physical(uint64_t va, Access access = Access::read) {
    const Mmu::Lookup at = lookup(va, access);
    if (at.result != AccessResult::ok) return 0;
    return ram + static_cast<uint64_t>(at.host - memory.span(ram, ram_size).data());
  }

  HeapMemory memory{ram, ram_size};
  VirtualClock clock;
  EventLog log{clock};
  EventQueue events{clock};
  FaultInjector faults{log};
  RecordedIrqLines lines;
  RegisterBus bus{lines, events, faults, log};
  Mmu mmu{memory, bus.registers(), bus.mmu_irq(), events, faults, log};
  RecordedMcu mcu;
  PageTable table{memory, tables};
  std::vector<unsigned> resumed;
};

}  // namespace vgpu::test
