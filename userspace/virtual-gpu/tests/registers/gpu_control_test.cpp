// SPDX-License-Identifier: MIT
#include "tests/registers/register_fixture.hpp"

namespace vgpu::test {
namespace {

constexpr uint32_t gpu_rawstat = 0x20, gpu_clear = 0x24, gpu_mask = 0x28, gpu_cmd = 0x30, gpu_status = 0x34;
constexpr uint32_t soft_reset = 0x101, hard_reset = 0x201, flush_all = 4 | (3 | 3 << 4 | 2 << 8) << 8;
constexpr uint32_t mcu_control = 0x700, mcu_status = 0x704, flush_id = 0x10000;
constexpr uint32_t timestamp_offset = 0x88, cycle_count = 0x90, timestamp = 0x98;

using GpuControlTest = RegisterFixture;

TEST_F(GpuControlTest, SoftResetCompletesAfterALatency) {
  write(gpu_cmd, soft_reset);
  EXPECT_EQ(read(gpu_rawstat), 0u);
  pass(9'999);
  EXPECT_EQ(read(gpu_rawstat), 0u);
  pass(1);
  EXPECT_EQ(read(gpu_rawstat), gpu_irq::reset_completed);
}

TEST_F(GpuControlTest, SoftResetRestoresResetValuesButKeepsGpuMaskAndFlushId) {
  write(gpu_mask, 0x20103);
  write(0x1008, ~0u);
  write(0x48, 5);
  write(0x304, 31);
  write64(timestamp_offset, 77);
  write64(0x1a0, 1);
  write(gpu_cmd, flush_all);
  pass(100'000);
  bus.gpu().raise_job_irq(1);
  bus.gpu().set_mcu_status(1);
  const uint32_t id = read(flush_id);
  ASSERT_TRUE(lines.level(IrqLine::job));

  write(gpu_cmd, soft_reset);
  EXPECT_EQ(read(gpu_mask), 0x20103u);
  EXPECT_EQ(read(flush_id), id);
  EXPECT_EQ(read(gpu_rawstat), 0u);
  EXPECT_EQ(read(0x1000), 0u);
  EXPECT_EQ(read(0x1008), 0u);
  EXPECT_FALSE(lines.level(IrqLine::job));
  EXPECT_FALSE(lines.level(IrqLine::gpu));
  EXPECT_EQ(read(0x48), 0u);
  EXPECT_EQ(read(0x304), 0u);
  EXPECT_EQ(read64(timestamp_offset), 0u);
  EXPECT_EQ(read64(0x160), 0u);
  EXPECT_EQ(read(mcu_status), 0u);
  EXPECT_EQ(read(0x0), 0xa867'0005u);
  EXPECT_EQ(mcu.resets, 1u);
  EXPECT_EQ(mmu.resets, 1u);
  pass(10'000);
  EXPECT_TRUE(lines.level(IrqLine::gpu)) << "the kept mask lets RESET_COMPLETED through";
}

TEST_F(GpuControlTest, HardResetClearsTheGpuMaskToo) {
  write(gpu_mask, ~0u);
  write(gpu_cmd, hard_reset);
  pass(10'000);
  EXPECT_EQ(read(gpu_mask), 0u);
  EXPECT_EQ(read(gpu_rawstat), gpu_irq::reset_completed);
}

TEST_F(GpuControlTest, ResetDropsRunningFlushesAndTransitions) {
  write64(0x1a0, 1);
  write(gpu_cmd, flush_all);
  write(gpu_cmd, soft_reset);
  pass(1'000'000);
  EXPECT_EQ(read(gpu_rawstat), gpu_irq::reset_completed);
  EXPECT_EQ(read64(0x160), 0u);
}

TEST_F(GpuControlTest, CommandsDuringAResetAreIgnored) {
  write(gpu_cmd, soft_reset);
  write(gpu_cmd, flush_all);
  pass(1'000'000);
  EXPECT_EQ(read(gpu_rawstat), gpu_irq::reset_completed);
  EXPECT_EQ(log.unmodelled_accesses().size(), 1u);
}

TEST_F(GpuControlTest, LostResetCompletionNeverComes) {
  faults.arm(FaultSpec::parse("reset-completion-lost"));
  write(gpu_cmd, soft_reset);
  pass(1'000'000'000);
  EXPECT_EQ(read(gpu_rawstat), 0u);
}

TEST_F(GpuControlTest, FlushBumpsTheIdAtOnceAndCompletesLater) {
  const uint32_t before = read(flush_id);
  write(gpu_cmd, flush_all);
  EXPECT_EQ(read(flush_id), before + 1);
  EXPECT_EQ(read(gpu_rawstat), 0u);
  pass(2'000);
  EXPECT_EQ(read(gpu_rawstat), gpu_irq::clean_caches_completed);
}

TEST_F(GpuControlTest, OverlappingFlushesCompleteEachOnItsOwn) {
  write(gpu_cmd, flush_all);
  pass(1'000);
  write(gpu_cmd, flush_all);
  pass(1'000);
  EXPECT_EQ(read(gpu_rawstat), gpu_irq::clean_caches_completed);
  write(gpu_clear, ~0u);
  pass(1'000);
  EXPECT_EQ(read(gpu_rawstat), gpu_irq::clean_caches_completed);
}

TEST_F(GpuControlTest, FlushIdIsNeverZero) {
  bus.registers().set(flush_id, ~0u);
  EXPECT_EQ(bus.gpu().flush_caches(), 1u);
  EXPECT_EQ(read(flush_id), 1u);
  EXPECT_EQ(bus.gpu().latest_flush_id(), 1u);
}

TEST_F(GpuControlTest, LostFlushCompletionLeavesTheIdBumped) {
  faults.arm(FaultSpec::parse("flush-completion-lost"));
  const uint32_t before = read(flush_id);
  write(gpu_cmd, flush_all);
  pass(1'000'000'000);
  EXPECT_EQ(read(gpu_rawstat), 0u);
  EXPECT_EQ(read(flush_id), before + 1);
  write(gpu_cmd, flush_all);
  pass(2'000);
  EXPECT_EQ(read(gpu_rawstat), gpu_irq::clean_caches_completed);
}

TEST_F(GpuControlTest, UnknownCommandsAreUnmodelled) {
  write(gpu_cmd, 0x42);
  write(gpu_cmd, 0x301);
  write(mcu_control, 3);
  pass(1'000'000);
  EXPECT_EQ(read(gpu_rawstat), 0u);
  EXPECT_TRUE(mcu.controls.empty());
  EXPECT_EQ(log.unmodelled_accesses().size(), 3u);
}

TEST_F(GpuControlTest, TimestampRunsAt24MHzPlusOffset) {
  clock.advance_to(125);
  EXPECT_EQ(read64(timestamp), 3u);
  write64(timestamp_offset, 0x1'0000'0000);
  EXPECT_EQ(read64(timestamp), 0x1'0000'0003u);
  EXPECT_EQ(bus.gpu().timestamp(), 0x1'0000'0003u);
}

TEST_F(GpuControlTest, CountersAre64BitAndSafeToReadHighLowHigh) {
  constexpr uint64_t wrap = uint64_t{1} << 32;
  clock.advance_to(wrap - 1);
  EXPECT_EQ(read(cycle_count), 0xffff'ffffu);
  EXPECT_EQ(read(cycle_count + 4), 0u);
  const uint32_t high1 = read(cycle_count + 4);
  clock.advance_by(1);
  const uint32_t low = read(cycle_count);
  const uint32_t high2 = read(cycle_count + 4);
  EXPECT_NE(high1, high2) << "the driver must see that the low word wrapped";
  EXPECT_EQ(low | uint64_t{high2} << 32, wrap);
  EXPECT_EQ(read64(cycle_count), wrap);
}

TEST_F(GpuControlTest, CountersDoNotOverflowAfterYears) {
  constexpr uint64_t hour = 3'600'000'000'000;
  clock.advance_to(hour * 24 * 365 * 100);
  EXPECT_EQ(bus.gpu().timestamp(), uint64_t{86'400} * 365 * 100 * 24'000'000);
}

TEST_F(GpuControlTest, McuControlReachesTheMcuAndStatusRaisesOnceAChange) {
  write(mcu_control, 2);
  EXPECT_EQ(mcu.controls, std::vector<uint32_t>{2});
  EXPECT_EQ(read(mcu_control), 2u);
  bus.gpu().set_mcu_status(1);
  EXPECT_EQ(read(mcu_status), 1u);
  EXPECT_EQ(read(gpu_rawstat), gpu_irq::mcu_status_changed);
  write(gpu_clear, ~0u);
  bus.gpu().set_mcu_status(1);
  EXPECT_EQ(read(gpu_rawstat), 0u);
}

TEST_F(GpuControlTest, GpuFaultKeepsTheFirstUntilCleared) {
  bus.gpu().raise_gpu_fault(0x80, 0x12'3456'7000);
  bus.gpu().raise_gpu_fault(0x88, 0x1000);
  EXPECT_EQ(read(0x3c), 0x80u);
  EXPECT_EQ(read64(0x40), 0x12'3456'7000u);
  EXPECT_EQ(read(gpu_rawstat), gpu_irq::fault);
  write(gpu_clear, gpu_irq::fault);
  bus.gpu().raise_gpu_fault(0x88, 0x1000);
  EXPECT_EQ(read(0x3c), 0x88u);
}

TEST_F(GpuControlTest, BusFaultsOfTheMmuBecomeGpuFaults) {
  mmu.on_bus_fault(0x80, 0x1000);
  EXPECT_EQ(read(0x3c), 0x80u);
  EXPECT_EQ(read(gpu_rawstat), gpu_irq::fault);
}

TEST_F(GpuControlTest, StatusShowsActivityPowerAndPageFault) {
  EXPECT_EQ(read(gpu_status), 0u);
  write(gpu_cmd, flush_all);
  EXPECT_EQ(read(gpu_status), 0x1u);
  pass(2'000);
  write64(0x1a0, 1);
  EXPECT_EQ(read(gpu_status), 0x2u);
  mmu.fault = true;
  EXPECT_EQ(read(gpu_status), 0x12u);
}

TEST_F(GpuControlTest, LostGpuIrqTakesAFlushCompletionButNotAPowerEvent) {
  faults.arm(FaultSpec::parse("gpu-irq-lost"));
  write64(0x1a0, 1);
  pass(100'000);
  EXPECT_NE(read(gpu_rawstat), 0u);
  write(gpu_clear, ~0u);
  write(gpu_cmd, flush_all);
  pass(100'000);
  EXPECT_EQ(read(gpu_rawstat), 0u);
}

}  // namespace
}  // namespace vgpu::test
