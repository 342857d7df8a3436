// SPDX-License-Identifier: MIT
#include <cstdio>
#include <string>

#include "tests/registers/register_fixture.hpp"

namespace vgpu::test {
namespace {

using RegisterBusTest = RegisterFixture;

TEST_F(RegisterBusTest, ConstantsIgnoreWrites) {
  write(0x0, 0);
  EXPECT_EQ(read(0x0), 0xa867'0005u);
  EXPECT_EQ(log.unmodelled_accesses().count("write to read-only GPU_ID"), 1u);
}

TEST_F(RegisterBusTest, StorageReadsBack) {
  write(0x48, 0x0100'0000);
  write(0x304, 31);
  EXPECT_EQ(read(0x48), 0x0100'0000u);
  EXPECT_EQ(read(0x304), 31u);
}

TEST_F(RegisterBusTest, UnknownRegistersAreCountedAndReadZero) {
  EXPECT_EQ(read(0x5c), 0u);
  write(0x5c, 1);
  EXPECT_EQ(read(0x5c), 0u);
  EXPECT_EQ(log.unmodelled_accesses().at("read of 4 bytes at 0x5c"), 2u);
  EXPECT_EQ(log.unmodelled_accesses().at("write of 4 bytes at 0x5c"), 1u);
}

TEST_F(RegisterBusTest, OddSizesAndAlignmentsAreUnmodelled) {
  for (const auto& [offset, size] :
       {std::pair{0u, 2u}, {0u, 8u}, {2u, 4u}, {0x104u, 8u}, {0u, 0u}, {0x1ffffcu, 8u}}) {
    EXPECT_EQ(bus.read(offset, size), 0u);
    bus.write(offset, size, ~0ull);
  }
  EXPECT_EQ(log.unmodelled_accesses().size(), 12u);
  EXPECT_EQ(read(0x0), 0xa867'0005u);
}

TEST_F(RegisterBusTest, EightByteAccessEqualsTwoWords) {
  bus.write(0x88, 8, 0x1'0000'0002);
  EXPECT_EQ(read(0x88), 2u);
  EXPECT_EQ(read(0x8c), 1u);
  EXPECT_EQ(read64(0x88), 0x1'0000'0002u);
}

TEST_F(RegisterBusTest, AddressSpaceWritesGoToTheMmu) {
  write64(0x2440, 0x1'2345'6000);
  write(0x2458, 1);
  const std::vector<std::pair<uint32_t, uint32_t>> expected{{0x40, 0x2345'6000}, {0x44, 1}, {0x58, 1}};
  EXPECT_EQ(mmu.writes, expected);
}

TEST_F(RegisterBusTest, DoorbellPagesReachTheMcuById) {
  write(0x80000, 1);
  write(0x80000 + 9 * 0x10000, 1);
  EXPECT_EQ(mcu.doorbells, (std::vector<unsigned>{0, 9}));
}

TEST_F(RegisterBusTest, LostDoorbellIsNotHeard) {
  faults.arm(FaultSpec::parse("doorbell-lost:after=1"));
  for (int i = 0; i < 3; ++i) write(0x90000, 1);
  EXPECT_EQ(mcu.doorbells.size(), 2u);
}

TEST_F(RegisterBusTest, CountersStatusAndUnknownOffsetsAreVolatile) {
  for (const uint32_t offset : {0x34u, 0x90u, 0x94u, 0x98u, 0x9cu, 0x5cu, 0x10004u})
    EXPECT_TRUE(RegisterBus::is_volatile(offset));
  for (const uint32_t offset : {0x0u, 0x20u, 0x160u, 0x2428u, 0x10000u, 0x80000u})
    EXPECT_FALSE(RegisterBus::is_volatile(offset));
}

TEST_F(RegisterBusTest, CountersCountAccesses) {
  (void)read(0x0);
  (void)read(0x4);
  write(0x48, 1);
  EXPECT_EQ(log.counter("reg.reads"), 2u);
  EXPECT_EQ(log.counter("reg.writes"), 1u);
}

TEST_F(RegisterBusTest, WriteLogIsOffUntilAskedFor) {
  std::FILE* file = std::tmpfile();
  log.write_to(file);
  write(0x48, 1);
  EXPECT_EQ(std::ftell(file), 0);
  bus.log_writes(true);
  write(0x48, 0x2a);
  std::rewind(file);
  char line[128] = {};
  ASSERT_NE(std::fgets(line, sizeof line, file), nullptr);
  EXPECT_STREQ(line, "0 reg.write name=GPU_L2_CONFIG offset=0x48 value=0x2a\n");
  log.write_to(nullptr);
  std::fclose(file);
}

TEST_F(RegisterBusTest, LostDoorbellsMayBeTheGlobalOneOnly) {
  faults.arm(FaultSpec::parse("doorbell-lost:only=user:count=0"));
  write(0x8'0000, 1);
  write(0x9'0000, 1);
  EXPECT_EQ(mcu.doorbells, std::vector<unsigned>{0});
}

}  // namespace
}  // namespace vgpu::test
