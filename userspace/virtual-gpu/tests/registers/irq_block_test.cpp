// SPDX-License-Identifier: MIT
#include "tests/registers/register_fixture.hpp"

namespace vgpu::test {
namespace {

constexpr uint32_t rawstat = 0x1000, clear = 0x1004, mask = 0x1008, status = 0x100c;

using IrqBlockTest = RegisterFixture;

TEST_F(IrqBlockTest, RawstatLatchesMaskedEvents) {
  bus.gpu().raise_job_irq(0x5);
  EXPECT_EQ(read(rawstat), 0x5u);
  EXPECT_EQ(read(status), 0u);
  EXPECT_FALSE(lines.level(IrqLine::job));
}

TEST_F(IrqBlockTest, UnmaskingALatchedEventRaisesTheLine) {
  bus.gpu().raise_job_irq(0x4);
  write(mask, 0x4);
  EXPECT_EQ(read(status), 0x4u);
  EXPECT_TRUE(lines.level(IrqLine::job));
}

TEST_F(IrqBlockTest, ClearTakesOnlyTheOnesWritten) {
  write(mask, ~0u);
  bus.gpu().raise_job_irq(0x8000'0007);
  write(clear, 0x2);
  EXPECT_EQ(read(rawstat), 0x8000'0005u);
  EXPECT_EQ(read(status), 0x8000'0005u);
  EXPECT_EQ(read(clear), 0u) << "CLEAR reads as zero";
  EXPECT_TRUE(lines.level(IrqLine::job));
  write(clear, ~0u);
  EXPECT_EQ(read(rawstat), 0u);
  EXPECT_FALSE(lines.level(IrqLine::job));
}

TEST_F(IrqBlockTest, MaskingLowersTheLineAndKeepsTheEvent) {
  write(mask, 0x1);
  bus.gpu().raise_job_irq(0x1);
  write(mask, 0);
  EXPECT_FALSE(lines.level(IrqLine::job));
  EXPECT_EQ(read(rawstat), 0x1u);
  write(mask, 0x1);
  EXPECT_TRUE(lines.level(IrqLine::job));
  EXPECT_EQ(lines.rises(IrqLine::job), 2u);
}

TEST_F(IrqBlockTest, SecondEventWhileHighIsNoSecondEdge) {
  write(mask, ~0u);
  bus.gpu().raise_job_irq(0x1);
  bus.gpu().raise_job_irq(0x2);
  EXPECT_EQ(lines.rises(IrqLine::job), 1u);
  write(clear, 0x1);
  EXPECT_TRUE(lines.level(IrqLine::job)) << "bit 1 is still pending";
}

TEST(IrqBlockLine, IsToldOnlyOfChanges) {
  struct CountedLines final : IrqLines {
    void set_level(IrqLine, bool) override { ++calls; }
    int calls = 0;
  } lines;
  VirtualClock clock;
  EventLog log(clock);
  RegisterFile registers;
  IrqBlock block(registers, 0x1000, IrqLine::job, lines, log);
  block.write(IrqBlock::mask, 0);
  EXPECT_EQ(lines.calls, 0);
  block.write(IrqBlock::mask, ~0u);
  block.raise(1);
  block.raise(2);
  block.write(IrqBlock::clear, 1);
  EXPECT_EQ(lines.calls, 1);
  block.reset(0);
  block.reset(0);
  EXPECT_EQ(lines.calls, 2);
}

TEST_F(IrqBlockTest, StatusIsReadOnly) {
  write(mask, ~0u);
  bus.gpu().raise_job_irq(0x1);
  write(status, 0);
  EXPECT_EQ(read(status), 0x1u);
  EXPECT_EQ(log.unmodelled_accesses().count("write to read-only JOB_INT_STAT"), 1u);
}

TEST_F(IrqBlockTest, WritingRawstatRaises) {
  write(mask, 0x10);
  write(rawstat, 0x30);
  EXPECT_EQ(read(rawstat), 0x30u);
  EXPECT_EQ(read(status), 0x10u);
  EXPECT_TRUE(lines.level(IrqLine::job));
}

TEST_F(IrqBlockTest, BlocksAreIndependent) {
  write(mask, ~0u);
  write(0x28, ~0u);
  write(0x2008, ~0u);
  bus.gpu_irq().raise(gpu_irq::fault);
  EXPECT_TRUE(lines.level(IrqLine::gpu));
  EXPECT_FALSE(lines.level(IrqLine::job));
  EXPECT_FALSE(lines.level(IrqLine::mmu));
}

TEST_F(IrqBlockTest, LostJobIrqIsNotLatchedAndTheNextOneIs) {
  write(mask, ~0u);
  faults.arm(FaultSpec::parse("job-irq-lost"));
  bus.gpu().raise_job_irq(0x1);
  EXPECT_EQ(read(rawstat), 0u);
  bus.gpu().raise_job_irq(0x1);
  EXPECT_EQ(read(rawstat), 0x1u);
}

TEST_F(IrqBlockTest, LostUnmaskLeavesTheLineLow) {
  faults.arm(FaultSpec::parse("job-unmask-lost:count=0"));
  write(mask, ~0u);
  bus.gpu().raise_job_irq(0x1);
  EXPECT_EQ(read(rawstat), 0x1u);
  EXPECT_FALSE(lines.level(IrqLine::job));
}

TEST_F(IrqBlockTest, LostMmuIrqSparesCommandCompletion) {
  faults.arm(FaultSpec::parse("mmu-irq-lost"));
  bus.mmu_irq().raise(1u << 17);
  EXPECT_EQ(read(0x2000), 1u << 17);
  bus.mmu_irq().raise(1u << 1);
  EXPECT_EQ(read(0x2000), 1u << 17);
}

TEST_F(IrqBlockTest, ALateEventIsLatchedWhenItsTimeIsOver) {
  write(mask, ~0u);
  faults.arm(FaultSpec::parse("job-irq-late:ms=3"));
  bus.gpu().raise_job_irq(0x1);
  pass(2'999'999);
  EXPECT_EQ(read(rawstat), 0u);
  pass(1);
  EXPECT_EQ(read(rawstat), 0x1u);
  EXPECT_TRUE(lines.level(IrqLine::job));
}

TEST_F(IrqBlockTest, AResetForgetsALateEvent) {
  faults.arm(FaultSpec::parse("job-irq-late:ms=3"));
  bus.gpu().raise_job_irq(0x1);
  write(0x30, 1 | 1 << 8);  // GPU_CMD: soft reset
  pass(10'000'000);
  EXPECT_EQ(read(rawstat), 0u);
}

TEST_F(IrqBlockTest, ADoubledEventComesAgainAfterItWasCleared) {
  write(mask, ~0u);
  faults.arm(FaultSpec::parse("mmu-irq-twice"));
  bus.mmu_irq().raise(0x2);
  write(0x2004, 0x2);
  EXPECT_EQ(read(0x2000), 0u);
  pass(100'000);
  EXPECT_EQ(read(0x2000), 0x2u);
}

TEST_F(IrqBlockTest, ADeadLineStaysLowThoughStatusShowsTheEvent) {
  faults.arm(FaultSpec::parse("gpu-line-low"));
  write(0x28, ~0u);
  bus.gpu_irq().raise(gpu_irq::fault);
  EXPECT_EQ(read(0x2c), gpu_irq::fault);
  EXPECT_FALSE(lines.level(IrqLine::gpu));
  write(0x24, ~0u);
  bus.gpu_irq().raise(gpu_irq::fault);
  EXPECT_TRUE(lines.level(IrqLine::gpu)) << "one rise is lost, not the next";
}

TEST_F(IrqBlockTest, EachLineHasItsOwnLostUnmask) {
  faults.arm(FaultSpec::parse("gpu-unmask-lost"));
  faults.arm(FaultSpec::parse("mmu-unmask-lost"));
  write(mask, 1);
  write(0x28, 1);
  write(0x2008, 1);
  EXPECT_EQ(read(mask), 1u);
  EXPECT_EQ(read(0x28), 0u);
  EXPECT_EQ(read(0x2008), 0u);
}

}  // namespace
}  // namespace vgpu::test
