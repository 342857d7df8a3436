// SPDX-License-Identifier: MIT
#include "tests/mmu/mmu_fixture.hpp"

namespace vgpu::test {
namespace {

constexpr uint64_t va = 0x4000'0000;

/// The TLB as the driver's page-table updates meet it.
class Tlb : public MmuFixture {
 protected:
  Tlb() {
    table.map(va, pages);
    enable();
    EXPECT_EQ(physical(va), pages);
  }
};

TEST_F(Tlb, StaleUntilUnlock) {
  table.map(va, pages + 0x1000);
  EXPECT_EQ(physical(va), pages) << "nothing has invalidated the old entry";
  lock(va, 0x1000);
  unlock();
  EXPECT_EQ(physical(va), pages + 0x1000);
}

TEST_F(Tlb, UnmappedPageStaysReachableUntilUnlock) {
  table.unmap(va);
  EXPECT_EQ(physical(va), pages);
  lock(va, 0x1000);
  unlock();
  EXPECT_EQ(lookup(va).result, AccessResult::stalled);
}

TEST_F(Tlb, LockAloneInvalidatesNothing) {
  table.map(va, pages + 0x1000);
  lock(va, 0x1000);
  EXPECT_EQ(lookup(va).result, AccessResult::stalled);
  faults.arm(FaultSpec::parse("tlb-invalidate-skipped"));
  unlock();
  EXPECT_EQ(physical(va), pages) << "the entry has survived the lock, only the unlock drops it";
}

TEST_F(Tlb, UnlockInvalidatesOnlyTheRegion) {
  const uint64_t far = va + 0x10'0000;
  table.map(far, pages + 0x2000);
  EXPECT_EQ(physical(far), pages + 0x2000);
  table.map(va, pages + 0x1000);
  table.map(far, pages + 0x3000);
  lock(va, 0x1000);
  unlock();
  EXPECT_EQ(physical(va), pages + 0x1000);
  EXPECT_EQ(physical(far), pages + 0x2000);
}

TEST_F(Tlb, RegionEdgesAreExact) {
  // 32 KiB, the smallest region: first and last page inside, neighbours outside.
  const uint64_t region = va + 0x8000;
  const uint64_t probe[] = {region - 0x1000, region, region + 0x7000, region + 0x8000};
  for (const uint64_t page : probe) {
    table.map(page, pages);
    EXPECT_EQ(physical(page), pages);
    table.map(page, pages + 0x1000);
  }
  lock(region + 0x1000, 0x1000);
  unlock();
  EXPECT_EQ(physical(probe[0]), pages);
  EXPECT_EQ(physical(probe[1]), pages + 0x1000);
  EXPECT_EQ(physical(probe[2]), pages + 0x1000);
  EXPECT_EQ(physical(probe[3]), pages);
}

TEST_F(Tlb, BlockIsDroppedWhenTheRegionTouchesIt) {
  const uint64_t block_va = 0x8000'0000;
  table.map(block_va, pages, 21);
  EXPECT_EQ(physical(block_va + 0x12'3456), pages + 0x12'3456);
  table.map(block_va, pages + 0x20'0000, 21);
  lock(block_va + 0x10'0000, 0x1000);
  unlock();
  EXPECT_EQ(physical(block_va), pages + 0x20'0000);
}

TEST_F(Tlb, FlushesInvalidateAndReleaseLikeUnlock) {
  for (const as::Command flush : {as::Command::flush_pt, as::Command::flush_mem}) {
    EXPECT_EQ(physical(va), pages);
    table.map(va, pages + 0x1000);
    lock(va, 0x1000);
    command(flush);
    EXPECT_EQ(physical(va), pages + 0x1000);
    table.map(va, pages);
    lock(va, 0x1000);
    unlock();
  }
}

TEST_F(Tlb, FlushWithoutLockTakesTheRegionOfLockaddr) {
  table.map(va, pages + 0x1000);
  bus.write(block(as, as::lockaddr), 8, va | 14);
  command(as::Command::flush_pt);
  EXPECT_EQ(physical(va), pages + 0x1000);
}

TEST_F(Tlb, UpdateDropsTheWholeAddressSpace) {
  table.map(va, pages + 0x1000);
  enable();
  EXPECT_EQ(physical(va), pages + 0x1000);
}

TEST_F(Tlb, RegisterWritesAloneChangeNothing) {
  bus.write(block(as, as::transtab), 8, 0);
  bus.write(block(as, as::transcfg), 8, 1);
  EXPECT_EQ(physical(va), pages);
  EXPECT_EQ(physical(va + 0x1000), 0u) << "a walk still uses the latched table";
  EXPECT_EQ(fault_status() & 0xff, fault_code::translation + 3u);
}

TEST_F(Tlb, CacheFlushCommandOfTheGpuIsNotAnInvalidation) {
  table.map(va, pages + 0x1000);
  bus.write(0x30, 4, 4 | 0x233 << 8);
  pass(100'000);
  EXPECT_EQ(physical(va), pages);
}

TEST_F(Tlb, AddressSpacesDoNotShareEntries) {
  PageTable other(memory, tables + 0x10'0000);
  other.map(va, pages + 0x5000);
  bus.write(block(2, as::transtab), 8, other.root());
  bus.write(block(2, as::transcfg), 8, transcfg);
  command(as::Command::update, 2);
  const auto at = mmu.translate(2, va, Access::read, Master::shader);
  EXPECT_EQ(at.host, memory.span(pages + 0x5000, 1).data());
  EXPECT_EQ(physical(va), pages);
  bus.write(block(2, as::lockaddr), 8, va | 14);
  table.map(va, pages + 0x1000);
  command(as::Command::unlock, 2);
  EXPECT_EQ(physical(va), pages) << "an unlock of AS 2 says nothing about AS 1";
}

TEST_F(Tlb, FailedWalksAreNotCached) {
  EXPECT_EQ(lookup(va + 0x1000).result, AccessResult::stalled);
  table.map(va + 0x1000, pages + 0x1000);
  EXPECT_EQ(physical(va + 0x1000), pages + 0x1000);
}

TEST_F(Tlb, PermissionsGoStaleToo) {
  EXPECT_EQ(physical(va, Access::write), pages);
  table.map(va, pages, 12, pte::read_write | pte::read_only);
  EXPECT_EQ(physical(va, Access::write), pages);
  lock(va, 0x1000);
  unlock();
  EXPECT_EQ(lookup(va, Access::write).result, AccessResult::aborted);
}

TEST_F(Tlb, SkippedInvalidationLeavesTheStaleEntry) {
  table.map(va, pages + 0x1000);
  faults.arm(FaultSpec::parse("tlb-invalidate-skipped"));
  lock(va, 0x1000);
  unlock();
  EXPECT_EQ(physical(va), pages);
  lock(va, 0x1000);
  unlock();
  EXPECT_EQ(physical(va), pages + 0x1000);
}

TEST_F(Tlb, IsBounded) {
  for (uint64_t i = 0; i < 4096; ++i) table.map(va + i * 4096, pages + (i % 16) * 4096);
  for (uint64_t i = 0; i < 4096; ++i) EXPECT_EQ(physical(va + i * 4096), pages + (i % 16) * 4096);
  const uint64_t misses = log.counter("mmu.tlb_misses");
  for (uint64_t i = 0; i < 4096; ++i) (void)physical(va + i * 4096);
  EXPECT_EQ(log.counter("mmu.tlb_misses") - misses, 4096u) << "a sweep four times its size cannot hit";
}

TEST_F(Tlb, MemoryChangeForgetsHostAddressesOnly) {
  table.map(va, pages + 0x1000);
  mmu.memory_changed();
  EXPECT_EQ(physical(va), pages);
}

}  // namespace
}  // namespace vgpu::test
