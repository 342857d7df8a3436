// SPDX-License-Identifier: MIT
#include "tests/mmu/mmu_fixture.hpp"

namespace vgpu::test {
namespace {

constexpr uint64_t va = 0x4000'0000, hole = va + 0x1000, other_hole = va + 0x2000;

class MmuFault : public MmuFixture {
 protected:
  MmuFault() {
    table.map(va, pages);
    enable();
    bus.write(0x2008, 4, 0xffff);
  }
  void clear_irq() { bus.write(0x2004, 4, 1u << as); }
};

TEST_F(MmuFault, TranslationFaultIsEncodedAsTheDriverDecodesIt) {
  const Mmu::Lookup at = lookup(hole + 0x18, Access::write, Master::shader);
  EXPECT_EQ(at.result, AccessResult::stalled);
  EXPECT_EQ(at.fault_code, 0xc3);
  const uint32_t status = fault_status();
  EXPECT_EQ(status & 0xff, 0xc3u);
  EXPECT_EQ(status >> 8 & 3, 3u) << "WRITE";
  EXPECT_EQ(status >> 16, static_cast<uint32_t>(Master::shader));
  EXPECT_EQ(fault_address(), hole + 0x18);
  EXPECT_EQ(rawstat() & 0xffff, 1u << as);
  EXPECT_TRUE(lines.level(IrqLine::mmu));
  EXPECT_TRUE(mmu.fault_pending());
}

TEST_F(MmuFault, AccessTypesAreTheDriversNumbers) {
  for (const auto& [access, number] :
       {std::pair{Access::atomic, 0u}, {Access::execute, 1u}, {Access::read, 2u}, {Access::write, 3u}}) {
    (void)lookup(hole, access);
    EXPECT_EQ(fault_status() >> 8 & 3, number);
    clear_irq();
    unlock();
  }
}

TEST_F(MmuFault, SecondFaultStallsAndOverwritesNothing) {
  (void)lookup(hole, Access::read);
  EXPECT_EQ(lookup(other_hole, Access::write).result, AccessResult::stalled);
  EXPECT_EQ(fault_address(), hole);
  EXPECT_EQ(lines.rises(IrqLine::mmu), 1u);
  clear_irq();
  EXPECT_EQ(lookup(other_hole, Access::write).result, AccessResult::stalled);
  EXPECT_EQ(fault_address(), hole) << "cleared is not yet resumed";
  EXPECT_EQ(rawstat() & 0xffff, 0u);
}

TEST_F(MmuFault, MappedPagesStayReachableMeanwhile) {
  (void)lookup(hole);
  EXPECT_EQ(physical(va), pages);
}

TEST_F(MmuFault, OtherAddressSpacesReportTheirOwn) {
  (void)lookup(hole);
  bus.write(block(2, as::transtab), 8, table.root());
  bus.write(block(2, as::transcfg), 8, transcfg);
  command(as::Command::update, 2);
  (void)mmu.translate(2, other_hole, Access::read, Master::tiler);
  EXPECT_EQ(bus.read(block(2, as::faultaddress), 8), other_hole);
  EXPECT_EQ(rawstat() & 0xffff, 1u << as | 1u << 2);
}

TEST_F(MmuFault, MappingThenUnlockingResumesTheAccess) {
  (void)lookup(hole);
  table.map(hole, pages + 0x1000);
  clear_irq();
  EXPECT_TRUE(resumed.empty());
  lock(hole, 0x1000);
  EXPECT_TRUE(resumed.empty()) << "a lock resumes nothing";
  unlock();
  EXPECT_EQ(resumed, std::vector<unsigned>{as});
  EXPECT_EQ(physical(hole), pages + 0x1000);
}

TEST_F(MmuFault, RetryWithoutAMappingFaultsAnew) {
  (void)lookup(hole);
  clear_irq();
  unlock();
  EXPECT_EQ(lookup(other_hole).result, AccessResult::stalled);
  EXPECT_EQ(fault_address(), other_hole);
  EXPECT_EQ(lines.rises(IrqLine::mmu), 2u);
}

TEST_F(MmuFault, UpdateToUnmappedAbortsTheStalledAccess) {
  (void)lookup(hole);
  clear_irq();
  disable();
  EXPECT_EQ(resumed, std::vector<unsigned>{as});
  EXPECT_EQ(lookup(hole).result, AccessResult::aborted);
  EXPECT_EQ(lookup(va).result, AccessResult::aborted);
  EXPECT_EQ(rawstat() & 0xffff, 0u) << "no new report";
  EXPECT_EQ(fault_status() & 0xff, 0xc3u) << "the old one stays readable";
}

TEST_F(MmuFault, WriteToReadOnlyAborts) {
  table.map(hole, pages, 12, pte::read_write | pte::read_only);
  EXPECT_EQ(physical(hole), pages);
  for (const Access access : {Access::write, Access::atomic}) {
    const Mmu::Lookup at = lookup(hole, access);
    EXPECT_EQ(at.result, AccessResult::aborted);
    EXPECT_EQ(at.fault_code, 0xcb);
    EXPECT_EQ(fault_status() & 0x3ff, 0xcbu | static_cast<uint32_t>(access) << 8);
    clear_irq();
  }
  EXPECT_EQ(physical(hole), pages) << "reading goes on";
}

TEST_F(MmuFault, PermissionFaultNamesTheLevelOfTheLeaf) {
  table.map(0x8000'0000, pages, 21, pte::read_write | pte::read_only);
  EXPECT_EQ(lookup(0x8000'0000, Access::write).fault_code, 0xca);
}

TEST_F(MmuFault, ExecuteNeverAbortsFetchesOnly) {
  EXPECT_EQ(lookup(va, Access::execute).fault_code, 0xcb);
  EXPECT_EQ(physical(va), pages) << "a command stream is fetched as data";
  table.map(hole, pages, 12, pte::access_flag);
  EXPECT_EQ(physical(hole, Access::execute), pages);
}

TEST_F(MmuFault, AbortingFaultsDoNotHoldLaterOnes) {
  (void)lookup(va, Access::execute);
  clear_irq();
  (void)lookup(hole);
  EXPECT_EQ(fault_address(), hole);
  EXPECT_EQ(rawstat() & 0xffff, 1u << as);
}

TEST_F(MmuFault, UnclearedAbortingFaultIsNotOverwritten) {
  (void)lookup(va, Access::execute);
  EXPECT_EQ(lookup(hole).result, AccessResult::stalled);
  EXPECT_EQ(fault_address(), va);
}

TEST_F(MmuFault, AttributeSizeAndAccessFlagFaultsAbort) {
  enable(transcfg, uint64_t{0xc0} << 8);
  table.map(hole, pages, 12, pte::read_write | pte::attribute(1));
  table.map(other_hole, pages, 12, pte::unprivileged);
  const uint64_t too_far = va + 0x3000;
  table.map(too_far, uint64_t{1} << 40);
  for (const auto& [address, code] :
       {std::pair{hole, 0xeb}, {other_hole, 0xdb}, {too_far, 0xe7}, {uint64_t{1} << 48, 0xe0}}) {
    const Mmu::Lookup at = lookup(address);
    EXPECT_EQ(at.result, AccessResult::aborted) << std::hex << address;
    EXPECT_EQ(at.fault_code, code);
    EXPECT_EQ(fault_status() & 0xff, static_cast<uint32_t>(code));
    clear_irq();
  }
}

TEST_F(MmuFault, PageOutsideRamIsABusFaultOfTheGpu) {
  table.map(hole, 0x40'0000'0000);
  const Mmu::Lookup at = lookup(hole + 8);
  EXPECT_EQ(at.result, AccessResult::aborted);
  EXPECT_EQ(at.fault_code, fault_code::gpu_bus_fault);
  EXPECT_EQ(rawstat() & 0xffff, 0u);
  EXPECT_EQ(read(0x3c), 0x80u);
  EXPECT_EQ(bus.read(0x40, 8), 0x40'0000'0008u);
  EXPECT_EQ(read(0x20) & 1, 1u);
}

TEST_F(MmuFault, LostIrqStillLatchesTheFaultStatus) {
  faults.arm(FaultSpec::parse("mmu-irq-lost"));
  EXPECT_EQ(lookup(hole).result, AccessResult::stalled);
  EXPECT_EQ(fault_address(), hole);
  EXPECT_EQ(rawstat() & 0xffff, 0u);
}

TEST_F(MmuFault, ReadAcrossAHoleDoesWhatItCan) {
  std::vector<std::byte> out(0x1800, std::byte{0xaa});
  memory.span(pages + 0x800, 1)[0] = std::byte{0x5b};
  size_t done = 0;
  EXPECT_EQ(mmu.read(as, va + 0x800, out, Master::shader, &done), AccessResult::stalled);
  EXPECT_EQ(done, 0x800u);
  EXPECT_EQ(out[0], std::byte{0x5b});
  EXPECT_EQ(out[0x800], std::byte{0xaa});
  EXPECT_EQ(fault_address(), hole);
}

TEST_F(MmuFault, WriteCrossesPagesThatAreNotNeighbours) {
  table.map(hole, pages + 0x5000);
  const std::vector<std::byte> in(0x1000, std::byte{0x77});
  size_t done = 0;
  ASSERT_EQ(mmu.write(as, va + 0x800, in, Master::shader, &done), AccessResult::ok);
  EXPECT_EQ(done, 0x1000u);
  EXPECT_EQ(memory.span(pages + 0xfff, 1)[0], std::byte{0x77});
  EXPECT_EQ(memory.span(pages + 0x1000, 1)[0], std::byte{0});
  EXPECT_EQ(memory.span(pages + 0x57ff, 1)[0], std::byte{0x77});
}

TEST_F(MmuFault, ScalarLoadAndStoreRoundTrip) {
  uint64_t value = 0;
  ASSERT_EQ(mmu.store<uint64_t>(as, va + 8, 0x1122'3344'5566'7788, Master::shader), AccessResult::ok);
  ASSERT_EQ(mmu.load(as, va + 8, value, Master::shader), AccessResult::ok);
  EXPECT_EQ(value, 0x1122'3344'5566'7788u);
}

TEST_F(MmuFault, AccessThroughAnAbsentSpaceIsUnmodelled) {
  EXPECT_EQ(mmu.translate(8, va, Access::read, Master::shader).result, AccessResult::aborted);
  EXPECT_EQ(log.unmodelled_accesses().size(), 1u);
}

}  // namespace
}  // namespace vgpu::test
