// SPDX-License-Identifier: MIT
#include "mmu/page_walk.hpp"

#include <gtest/gtest.h>

#include "mmu/fault_code.hpp"
#include "tests/mmu/page_table.hpp"

namespace vgpu::test {
namespace {

constexpr uint64_t ram = 0x8000'0000;
constexpr uint64_t va = 0x1234'5678'9000;

class PageWalk : public testing::Test {
 protected:
  WalkResult walk(uint64_t address) { return walk_page_table(memory, config, address); }
  uint8_t fault(uint64_t address) { return walk(address).fault; }

  HeapMemory memory{ram, 0x10'0000};
  PageTable table{memory, ram};
  WalkConfig config{.root = table.root(), .input_bits = 48};
};

TEST_F(PageWalk, EachLeafSizeCoversItsRange) {
  struct Case {
    unsigned shift, level;
  };
  for (const auto& [shift, level] : {Case{12, 3}, Case{21, 2}, Case{30, 1}}) {
    const uint64_t size = uint64_t{1} << shift;
    const uint64_t base = (uint64_t{1} << 46) + size * 3;
    table.map(base, 0x40'0000'0000, shift);
    const WalkResult result = walk(base + size - 1);
    ASSERT_EQ(result.fault, 0) << shift;
    EXPECT_EQ(result.leaf.virtual_base, base);
    EXPECT_EQ(result.leaf.physical_base, 0x40'0000'0000u);
    EXPECT_EQ(result.leaf.shift, shift);
    EXPECT_EQ(result.leaf.level, level);
    EXPECT_NE(fault(base + size), 0) << "one byte after the leaf";
    EXPECT_NE(fault(base - 1), 0) << "one byte before the leaf";
  }
}

TEST_F(PageWalk, AddressBitsBelowABlockAreIgnored) {
  table.map(va & ~uint64_t{0x1f'ffff}, ram | 0x3000, 21);
  EXPECT_EQ(walk(va).leaf.physical_base, ram);
}

TEST_F(PageWalk, MissingTablesFaultAtTheirLevel) {
  EXPECT_EQ(fault(va), fault_code::translation + 0);
  table.set_entry(va, 30, 0);
  EXPECT_EQ(fault(va), fault_code::translation + 1);
  table.set_entry(va, 21, 0);
  EXPECT_EQ(fault(va), fault_code::translation + 2);
  table.unmap(va);
  EXPECT_EQ(fault(va), fault_code::translation + 3);
}

TEST_F(PageWalk, ReservedDescriptorsAreTranslationFaults) {
  table.set_entry(va, 39, ram | pte::valid | pte::read_write);
  EXPECT_EQ(fault(va), fault_code::translation + 0) << "a block at level 0";
  table.set_entry(va, 39, 0);
  table.set_entry(va, 12, ram | pte::valid | pte::read_write);
  EXPECT_EQ(fault(va), fault_code::translation + 3) << "type 1 at level 3";
}

TEST_F(PageWalk, InputSizeIsChecked) {
  table.map(0, ram);
  config.input_bits = 32;
  config.root = table.entry(0, 39) & ~uint64_t{3};  // 32 bits begin at level 1
  EXPECT_EQ(fault(0), 0);
  EXPECT_EQ(fault(uint64_t{1} << 32), fault_code::address_size_in);
  EXPECT_EQ(fault(~uint64_t{0}), fault_code::address_size_in);
}

TEST_F(PageWalk, PhysicalAddressesEndAt40Bits) {
  table.map(va, uint64_t{1} << 40);
  EXPECT_EQ(fault(va), fault_code::address_size_out + 3);
  table.map(0, uint64_t{1} << 41, 21);
  EXPECT_EQ(fault(0), fault_code::address_size_out + 2);
  table.set_entry(uint64_t{1} << 40, 39, uint64_t{1} << 47 | 3);
  EXPECT_EQ(fault(uint64_t{1} << 40), fault_code::address_size_out + 1)
      << "the table at level 1 is out of range";
  config.root = uint64_t{1} << 40;
  EXPECT_EQ(fault(0), fault_code::address_size_out + 0);
}

TEST_F(PageWalk, TableOutsideRamIsABusFaultAtItsAddress) {
  table.set_entry(va, 39, 0x1'0000'0000 | 3);
  const WalkResult result = walk(va);
  EXPECT_EQ(result.fault, fault_code::gpu_bus_fault);
  EXPECT_EQ(result.fault_address, 0x1'0000'0000 + (va >> 30 & 0x1ff) * 8);
}

TEST_F(PageWalk, ReadOnlyAndExecuteNeverComeFromTheLeaf) {
  table.map(va, ram, 12, pte::access_flag);
  EXPECT_TRUE(walk(va).leaf.writable);
  EXPECT_TRUE(walk(va).leaf.executable);
  table.map(va, ram, 12, pte::access_flag | pte::read_only | pte::execute_never);
  EXPECT_FALSE(walk(va).leaf.writable);
  EXPECT_FALSE(walk(va).leaf.executable);
}

TEST_F(PageWalk, TablesRestrictUnlessHierarchyIsOff) {
  table.map(va, ram, 12, pte::access_flag);
  table.set_entry(va, 30, table.entry(va, 30) | 1ull << 62 | 1ull << 60);
  EXPECT_FALSE(walk(va).leaf.writable);
  EXPECT_FALSE(walk(va).leaf.executable);
  config.hierarchical_permissions = false;
  EXPECT_TRUE(walk(va).leaf.writable);
  EXPECT_TRUE(walk(va).leaf.executable);
}

TEST_F(PageWalk, WriteImpliesNoExecuteIsHonoured) {
  config.write_implies_no_execute = true;
  table.map(va, ram, 12, pte::access_flag);
  EXPECT_FALSE(walk(va).leaf.executable);
  table.map(va, ram, 12, pte::access_flag | pte::read_only);
  EXPECT_TRUE(walk(va).leaf.executable);
}

TEST_F(PageWalk, ClearAccessFlagFaultsUnlessDisabled) {
  table.map(va, ram, 12, 0);
  EXPECT_EQ(fault(va), fault_code::access_flag + 3);
  config.access_flag_faults = false;
  EXPECT_EQ(fault(va), 0);
}

TEST_F(PageWalk, FaultingMemoryAttributeFaults) {
  config.memattr = uint64_t{0xc0} << 16;  // index 2: AS_MEMATTR_AARCH64_FAULT
  table.map(va, ram, 12, pte::read_write | pte::attribute(2));
  EXPECT_EQ(fault(va), fault_code::memory_attribute + 3);
  table.map(va, ram, 12, pte::read_write | pte::attribute(1));
  EXPECT_EQ(fault(va), 0);
}

}  // namespace
}  // namespace vgpu::test
