// SPDX-License-Identifier: MIT
#include "tests/mmu/mmu_fixture.hpp"

namespace vgpu::test {
namespace {

constexpr uint64_t va = 0x4000'0000;

class MmuCommand : public MmuFixture {
 protected:
  MmuCommand() {
    for (uint64_t page = 0; page < 0x20; ++page) table.map(va + page * 0x1000, pages + page * 0x1000);
    enable();
  }
};

TEST_F(MmuCommand, AsActiveIsSetUntilCompletion) {
  bus.write(block(as, as::command), 4, 4);
  EXPECT_EQ(read(block(as, as::status)), as::status_active);
  EXPECT_EQ(rawstat() & 0xffff, 0u);
  pass(Mmu::command_ns - 1);
  EXPECT_EQ(read(block(as, as::status)), as::status_active);
  pass(1);
  EXPECT_EQ(read(block(as, as::status)), 0u);
  EXPECT_LE(Mmu::command_ns, 2'000u) << "the driver polls every 10 us of model time";
}

TEST_F(MmuCommand, CompletionLatchesBit16PlusAs) {
  bus.write(0x2004, 4, ~0u);
  command(as::Command::nop);
  command(as::Command::lock, 3);
  EXPECT_EQ(rawstat(), 1u << (16 + as) | 1u << 19);
  EXPECT_FALSE(lines.level(IrqLine::mmu)) << "masked, as 7.2 keeps it";
  bus.write(0x2008, 4, ~0u);
  EXPECT_TRUE(lines.level(IrqLine::mmu)) << "7.0 unmasks these bits after a fault";
}

TEST_F(MmuCommand, LockRegionDecodesAsTheDriverPacksIt) {
  struct Case {
    uint64_t lockaddr, first, last;
  };
  for (const auto& [lockaddr, first, last] :
       {Case{0x4000'0000 | 14, 0x4000'0000, 0x4000'7fff}, Case{0x4000'4000 | 14, 0x4000'0000, 0x4000'7fff},
        Case{0x4030'0000 | 20, 0x4020'0000, 0x403f'ffff}, Case{0x1000 | 3, 0, 0x7fff},
        Case{47, 0, (1ull << 48) - 1}, Case{63, 0, ~0ull}}) {
    const Region region = decode_lock_region(lockaddr);
    EXPECT_EQ(region.first, first) << std::hex << lockaddr;
    EXPECT_EQ(region.last, last) << std::hex << lockaddr;
  }
}

TEST_F(MmuCommand, LockStallsAccessesInTheRegionWithoutAFault) {
  EXPECT_EQ(physical(va), pages);
  lock(va, 0x8000);
  EXPECT_EQ(lookup(va).result, AccessResult::stalled) << "cached a moment ago";
  EXPECT_EQ(lookup(va + 0x7fff).result, AccessResult::stalled);
  EXPECT_EQ(lookup(va).fault_code, 0);
  EXPECT_EQ(physical(va + 0x8000), pages + 0x8000);
  EXPECT_EQ(rawstat() & 0xffff, 0u);
  EXPECT_TRUE(resumed.empty());
  unlock();
  EXPECT_EQ(resumed, std::vector<unsigned>{as});
  EXPECT_EQ(physical(va), pages);
}

TEST_F(MmuCommand, LockOfPartOfABlockLimitsWhatTheRestGets) {
  const uint64_t block_va = 0x8000'0000;
  table.map(block_va, pages, 21);
  lock(block_va + 0x8000, 0x8000);
  const Mmu::Lookup at = lookup(block_va + 0x7010);
  ASSERT_EQ(at.result, AccessResult::ok);
  EXPECT_EQ(at.contiguous, 0xff0u) << "no further than where the lock may begin";
  std::vector<std::byte> buffer(0x2000);
  size_t done = 0;
  EXPECT_EQ(mmu.read(as, block_va + 0x7000, buffer, Master::shader, &done), AccessResult::stalled);
  EXPECT_EQ(done, 0x1000u);
}

TEST_F(MmuCommand, McuIsNotHeldByALock) {
  lock(va, 0x8000);
  EXPECT_EQ(lookup(va, Access::read, Master::mcu).result, AccessResult::ok);
  EXPECT_EQ(lookup(va).result, AccessResult::stalled) << "and leaves nothing behind for others";
}

TEST_F(MmuCommand, SecondCommandWhileActiveIsDropped) {
  bus.write(block(as, as::lockaddr), 8, va | 14);
  bus.write(block(as, as::command), 4, 2);
  bus.write(block(as, as::command), 4, 3);
  pass(10'000);
  EXPECT_EQ(lookup(va).result, AccessResult::stalled) << "the LOCK was done, the UNLOCK was not";
  EXPECT_EQ(log.unmodelled_accesses().count("AS_COMMAND unlock while AS_ACTIVE"), 1u);
}

TEST_F(MmuCommand, UnknownCommandIsUnmodelled) {
  bus.write(block(as, as::command), 4, 9);
  EXPECT_EQ(read(block(as, as::status)), 0u);
  EXPECT_EQ(log.unmodelled_accesses().count("AS_COMMAND 0x9"), 1u);
}

TEST_F(MmuCommand, UpdateLatchesTheRegistersOfTheCommand) {
  bus.write(block(as, as::transcfg), 8, 1);
  bus.write(block(as, as::command), 4, 1);
  bus.write(block(as, as::transcfg), 8, transcfg);
  pass(10'000);
  EXPECT_FALSE(mmu.enabled(as));
}

TEST_F(MmuCommand, UnmappedModeAbortsSilently) {
  disable();
  EXPECT_FALSE(mmu.enabled(as));
  EXPECT_EQ(lookup(va).result, AccessResult::aborted);
  EXPECT_EQ(rawstat() & 0xffff, 0u);
  EXPECT_EQ(mmu.translate(5, va, Access::read, Master::shader).result, AccessResult::aborted)
      << "never updated";
}

TEST_F(MmuCommand, IdentityModeReachesPhysicalAddresses) {
  bus.write(block(as, as::transcfg), 8, 2);
  command(as::Command::update);
  EXPECT_TRUE(mmu.enabled(as));
  EXPECT_EQ(physical(pages + 0x123, Access::execute), pages + 0x123);
  EXPECT_EQ(lookup(uint64_t{1} << 40).fault_code, fault_code::address_size_out);
}

TEST_F(MmuCommand, StrangeModesAreUnmodelledAndUnmapped) {
  bus.write(block(as, as::transcfg), 8, 8);
  command(as::Command::update);
  EXPECT_FALSE(mmu.enabled(as));
  EXPECT_EQ(log.unmodelled_accesses().count("AS_TRANSCFG mode 8"), 1u);
}

TEST_F(MmuCommand, StuckCommandStaysActiveUntilReset) {
  faults.arm(FaultSpec::parse("as-active-stuck"));
  bus.write(block(as, as::command), 4, 4);
  pass(1'000'000'000);
  EXPECT_EQ(read(block(as, as::status)), as::status_active);
  bus.write(0x30, 4, 0x101);
  EXPECT_EQ(read(block(as, as::status)), 0u);
  enable();
  EXPECT_EQ(physical(va), pages);
}

TEST_F(MmuCommand, ResetUnmapsEverySpaceAndLetsStalledAccessesGo) {
  (void)lookup(0);
  lock(va, 0x1000);
  bus.write(block(as, as::command), 4, 1);
  resumed.clear();
  mmu.reset();
  EXPECT_EQ(resumed.size(), Mmu::as_count);
  EXPECT_FALSE(mmu.enabled(as));
  EXPECT_EQ(rawstat(), 0u);
  EXPECT_EQ(fault_status(), 0u);
  EXPECT_EQ(bus.read(block(as, as::transtab), 8), 0u);
  pass(10'000);
  EXPECT_EQ(rawstat(), 0u) << "the command in flight is gone";
  enable();
  EXPECT_EQ(physical(va), pages) << "and so is the lock";
}

}  // namespace
}  // namespace vgpu::test
