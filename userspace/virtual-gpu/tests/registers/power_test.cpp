// SPDX-License-Identifier: MIT
#include "tests/registers/register_fixture.hpp"

namespace vgpu::test {
namespace {

constexpr uint32_t shader_ready = 0x140, tiler_ready = 0x150, l2_ready = 0x160;
constexpr uint32_t shader_pwron = 0x180, tiler_pwron = 0x190, l2_pwron = 0x1a0;
constexpr uint32_t shader_pwroff = 0x1c0, l2_pwroff = 0x1e0;
constexpr uint32_t shader_pwrtrans = 0x200, l2_pwrtrans = 0x220, l2_pwractive = 0x260;
constexpr uint32_t gpu_rawstat = 0x20, gpu_clear = 0x24;
constexpr uint32_t power_bits = gpu_irq::power_changed | gpu_irq::power_changed_all;

class PowerTest : public RegisterFixture {
 protected:
  uint32_t take_power_bits() {
    const uint32_t bits = read(gpu_rawstat) & power_bits;
    write(gpu_clear, bits);
    return bits;
  }
  void power_l2() {
    write64(l2_pwron, 1);
    pass(100'000);
    (void)take_power_bits();
  }
};

TEST_F(PowerTest, L2GoesThroughPwrtransToReady) {
  write64(l2_pwron, 1);
  EXPECT_EQ(read64(l2_pwrtrans), 1u);
  EXPECT_EQ(read64(l2_ready), 0u);
  EXPECT_EQ(take_power_bits(), 0u);
  EXPECT_FALSE(bus.gpu().powered());
  pass(4'999);
  EXPECT_EQ(read64(l2_ready), 0u);
  pass(1);
  EXPECT_EQ(read64(l2_pwrtrans), 0u);
  EXPECT_EQ(read64(l2_ready), 1u);
  EXPECT_EQ(read64(l2_pwractive), 1u);
  EXPECT_EQ(take_power_bits(), power_bits);
  EXPECT_TRUE(bus.gpu().powered());
}

TEST_F(PowerTest, ChangedAllComesOnlyWithTheLastTransition) {
  power_l2();
  write64(shader_pwron, 0x5'0005);  // 3 us
  write64(tiler_pwron, 1);          // 2 us
  pass(2'000);
  EXPECT_EQ(read64(tiler_ready), 1u);
  EXPECT_EQ(take_power_bits(), gpu_irq::power_changed);
  pass(1'000);
  EXPECT_EQ(read64(shader_ready), 0x5'0005u);
  EXPECT_EQ(take_power_bits(), power_bits);
}

TEST_F(PowerTest, CoresWaitForTheL2) {
  write64(shader_pwron, 0x1);
  pass(1'000'000);
  EXPECT_EQ(read64(shader_ready), 0u);
  EXPECT_EQ(read64(shader_pwrtrans), 1u);
  write64(l2_pwron, 1);
  pass(5'000);
  EXPECT_EQ(take_power_bits(), gpu_irq::power_changed) << "the shader core is still on its way";
  pass(3'000);
  EXPECT_EQ(read64(shader_ready), 1u);
  EXPECT_EQ(take_power_bits(), power_bits);
}

TEST_F(PowerTest, L2OffTakesTheCoresWithIt) {
  power_l2();
  bus.gpu().request_shader_power(0x5'0005);
  pass(10'000);
  ASSERT_EQ(bus.gpu().shader_ready(), 0x5'0005u);
  write64(l2_pwroff, 1);
  EXPECT_EQ(read64(l2_pwrtrans), 1u) << "the driver polls PWRTRANS until it is clear";
  EXPECT_EQ(bus.gpu().shader_ready(), 0u);
  pass(3'000);
  EXPECT_EQ(read64(shader_pwrtrans), 0u);
  EXPECT_EQ(read64(l2_pwrtrans), 1u);
  pass(5'000);
  EXPECT_EQ(read64(l2_pwrtrans), 0u);
  EXPECT_EQ(read64(l2_ready), 0u);
  power_l2();
  pass(100'000);
  EXPECT_EQ(bus.gpu().shader_ready(), 0u) << "the old request must not come back with the L2";
}

TEST_F(PowerTest, RepeatedRequestsChangeNothing) {
  power_l2();
  write64(l2_pwron, 1);
  EXPECT_EQ(read64(l2_pwrtrans), 0u);
  pass(100'000);
  EXPECT_EQ(take_power_bits(), 0u);
  write64(shader_pwroff, ~0ull);
  pass(100'000);
  EXPECT_EQ(take_power_bits(), 0u);
}

TEST_F(PowerTest, ReversedRequestTakesEffectAfterTheRunningOne) {
  write64(l2_pwron, 1);
  pass(1'000);
  write64(l2_pwroff, 1);
  EXPECT_EQ(read64(l2_pwrtrans), 1u);
  pass(100'000);
  EXPECT_EQ(read64(l2_ready), 0u);
  EXPECT_EQ(read64(l2_pwrtrans), 0u);
}

TEST_F(PowerTest, AbsentCoresAreRefused) {
  power_l2();
  write64(shader_pwron, 0x2);
  pass(100'000);
  EXPECT_EQ(read64(shader_ready), 0u);
  EXPECT_EQ(read64(shader_pwrtrans), 0u);
  EXPECT_EQ(log.unmodelled_accesses().size(), 1u);
}

TEST_F(PowerTest, CpuAndMcuRequestsAddUp) {
  power_l2();
  write64(shader_pwron, 0x1);
  bus.gpu().request_shader_power(0x4);
  pass(100'000);
  EXPECT_EQ(bus.gpu().shader_ready(), 0x5u);
  bus.gpu().request_shader_power(0);
  pass(100'000);
  EXPECT_EQ(bus.gpu().shader_ready(), 0x1u);
}

TEST_F(PowerTest, McuHearsOfChanges) {
  power_l2();
  EXPECT_EQ(mcu.power_changes, 1u);
  bus.gpu().request_tiler_power(true);
  pass(100'000);
  EXPECT_EQ(mcu.power_changes, 2u);
}

TEST_F(PowerTest, LostReadyLeavesTheL2OffWithoutIrq) {
  faults.arm(FaultSpec::parse("power-ready-lost"));
  write64(l2_pwron, 1);
  pass(100'000);
  EXPECT_EQ(read64(l2_ready), 0u);
  EXPECT_EQ(read64(l2_pwrtrans), 0u);
  EXPECT_EQ(take_power_bits(), 0u);
  write64(l2_pwron, 1);
  pass(100'000);
  EXPECT_EQ(read64(l2_ready), 1u);
}

TEST_F(PowerTest, ASlowPowerUpEndsLate) {
  faults.arm(FaultSpec::parse("power-up-slow:only=l2:ms=2"));
  write64(l2_pwron, 1);
  pass(2'000'000);
  EXPECT_EQ(read64(l2_pwrtrans), 1u);
  EXPECT_EQ(read64(l2_ready), 0u);
  pass(5'000);
  EXPECT_EQ(read64(l2_ready), 1u);
  EXPECT_EQ(take_power_bits(), power_bits);
}

TEST_F(PowerTest, WithoutAClockEverythingReadsZeroAndIsLost) {
  std::vector<uint32_t> shadow(RegisterFile::word_count);
  bus.registers().attach(shadow);
  const uint32_t id = read(0);
  ASSERT_NE(id, 0u);
  power_l2();
  write(0x28, ~0u);
  faults.arm(FaultSpec::parse("registers-read-zero:ms=5"));
  write64(l2_pwroff, 1);
  EXPECT_EQ(read(0), 0u);
  EXPECT_EQ(shadow[0], 0u) << "the guest reads most registers from the shadow";
  EXPECT_EQ(read64(0x90), 0u) << "CYCLE_COUNT is not in the shadow";
  write64(l2_pwron, 1);
  pass(1'000'000);
  EXPECT_EQ(shadow[l2_ready / 4], 0u);
  pass(4'000'000);
  EXPECT_EQ(shadow[0], id);
  EXPECT_EQ(read64(l2_ready), 0u) << "the request was lost";
  EXPECT_EQ(read(0x28), 0u) << "so was GPU_INT_MASK";
  power_l2();
  EXPECT_EQ(shadow[l2_ready / 4], 1u);
  bus.registers().detach();
}

}  // namespace
}  // namespace vgpu::test
