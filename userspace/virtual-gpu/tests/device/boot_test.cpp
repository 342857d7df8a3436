// SPDX-License-Identifier: MIT
#include "tests/device/mini_driver.hpp"

namespace vgpu::test {
namespace {

using GlbIn = fw::GlobalInput;
using GlbOut = fw::GlobalOutput;
constexpr uint64_t ms = MiniDriver::ms;

TEST(Boot, PublishesTheWholeInterface) {
  MiniDriver gpu;
  gpu.boot();
  EXPECT_EQ(gpu.read(mmio::mcu_status), 1u);
  EXPECT_EQ(gpu.shared_get(fw::shared_base, &fw::GlobalControl::version), 0x0105'0000u);
  EXPECT_EQ(gpu.shared_get(fw::shared_base, &fw::GlobalControl::group_num), 8u);
  for (unsigned csg = 0; csg < fw::csg_count; ++csg) {
    const uint32_t control = fw::place::group_control(csg);
    EXPECT_EQ(gpu.shared_get(control, &fw::GroupControl::stream_num), 8u);
    EXPECT_NE(gpu.shared_get(control, &fw::GroupControl::suspend_size), 0u);
    EXPECT_NE(gpu.shared_get(control, &fw::GroupControl::protm_suspend_size), 0u);
    for (unsigned cs = 0; cs < fw::cs_count; ++cs)
      EXPECT_EQ(gpu.shared_get(fw::place::stream_control(csg, cs), &fw::StreamControl::features),
                fw::stream_features);
  }
}

TEST(Boot, WaitsForTheL2InsteadOfDying) {
  MiniDriver gpu;
  gpu.enable_as(0, gpu.mcu_vm.table);
  gpu.write(mmio::mcu_control, 2);
  gpu.pass(10 * ms);
  EXPECT_NE(gpu.read(mmio::mcu_status), 3u);
  gpu.write(mmio::l2_pwron, 1);
  EXPECT_TRUE(gpu.wait_for([&] { return gpu.read(mmio::mcu_status) == 1; }));
  EXPECT_TRUE(gpu.lines.level(IrqLine::job));
}

TEST(Boot, WithoutItsAddressSpaceIsFatal) {
  MiniDriver gpu;
  gpu.power_up();
  EXPECT_FALSE(gpu.start_mcu());
  EXPECT_EQ(gpu.read(mmio::mcu_status), 3u);
}

TEST(Boot, SharedSectionNotWritableIsFatal) {
  MiniDriver gpu;
  gpu.mcu_vm.table.map(fw::shared_base, gpu.shared_pa, 12, pte::read_write | pte::read_only);
  gpu.power_up();
  gpu.enable_as(0, gpu.mcu_vm.table);
  EXPECT_FALSE(gpu.start_mcu());
  EXPECT_EQ(gpu.read(mmio::mcu_status), 3u);
}

TEST(Boot, ConfigurationIsAcknowledged) {
  MiniDriver gpu;
  gpu.boot();
  EXPECT_EQ((gpu.global_in(&GlbIn::req) ^ gpu.global_out(&GlbOut::ack)) & fw::glb::requests, 0u);
}

TEST_F(BootedTest, PingIsAcknowledgedWithAnInterrupt) {
  gpu.write(mmio::job_int_clear, ~0u);
  EXPECT_TRUE(gpu.global_request(fw::glb::ping));
  EXPECT_EQ(gpu.read(mmio::job_int_stat), fw::job_irq_global);
  EXPECT_TRUE(gpu.global_request(fw::glb::ping));
  EXPECT_EQ(gpu.log.counter("fw.pings"), 2u);
}

TEST_F(BootedTest, RequestOutsideTheIrqMaskIsAcknowledgedSilently) {
  gpu.shared_set(fw::place::global_input, &GlbIn::ack_irq_mask, 0);
  gpu.write(mmio::job_int_clear, ~0u);
  EXPECT_TRUE(gpu.global_request(fw::glb::ping));
  EXPECT_EQ(gpu.read(mmio::job_int_rawstat), 0u);
}

TEST_F(BootedTest, PingAckLost_LeavesTheRequestPending) {
  gpu.device.faults().arm(FaultSpec::parse("ping-ack-lost"));
  EXPECT_FALSE(gpu.global_request(fw::glb::ping));
}

TEST_F(BootedTest, FastResetKeepsTheSections) {
  ASSERT_TRUE(gpu.halt_mcu());
  EXPECT_EQ(gpu.global_out(&GlbOut::halt_status), fw::glb::halt_ok);
  gpu.stop_mcu();
  EXPECT_EQ(gpu.read(mmio::mcu_status), 0u);
  gpu.power_down();
  const uint32_t ack = gpu.global_out(&GlbOut::ack);
  gpu.shared_set(fw::place::global_input, &GlbIn::req, gpu.global_in(&GlbIn::req) & ~fw::glb::halt);
  gpu.power_up();
  gpu.enable_as(0, gpu.mcu_vm.table);
  ASSERT_TRUE(gpu.start_mcu());
  EXPECT_EQ(gpu.global_out(&GlbOut::ack), ack & ~fw::glb::halt) << "outputs go on where they were";
  gpu.init_global_interface();
  gpu.pass(ms);
  EXPECT_TRUE(gpu.global_request(fw::glb::ping));
  auto group = gpu.create_group(gpu.create_vm(1), 1);
  ASSERT_TRUE(gpu.place(group, 0));
  gpu.pass(500 * MiniDriver::us);
  EXPECT_EQ(gpu.take_events(0).csg, 0u) << "the idle timer counts again";
  gpu.pass(5 * ms);
  EXPECT_EQ(gpu.take_events(0).csg, fw::csg::idle);
}

TEST_F(BootedTest, LosingTheL2IsFatal) {
  gpu.power_down();
  EXPECT_EQ(gpu.read(mmio::mcu_status), 3u);
}

TEST_F(BootedTest, SlowResetPublishesAgain) {
  gpu.stop_mcu();
  gpu.reload_sections();
  ASSERT_TRUE(gpu.start_mcu());
  EXPECT_EQ(gpu.shared_get(fw::shared_base, &fw::GlobalControl::version), 0x0105'0000u);
  gpu.init_global_interface();
  gpu.pass(ms);
  EXPECT_TRUE(gpu.global_request(fw::glb::ping));
}

TEST_F(BootedTest, SoftResetLosesTheMcu) {
  gpu.soft_reset();
  EXPECT_EQ(gpu.read(mmio::mcu_status), 0u);
  EXPECT_FALSE(gpu.global_request(fw::glb::ping));
  gpu.reload_sections();
  gpu.boot();
  EXPECT_TRUE(gpu.global_request(fw::glb::ping));
}

TEST_F(BootedTest, SectionUnmappedUnderTheMcuIsFatal) {
  gpu.mcu_vm.table.unmap(fw::shared_base + 0x2000);
  gpu.write(0x2400 + 0x10, static_cast<uint32_t>(fw::shared_base | 0x1f));  // LOCKADDR: 4 GiB
  gpu.write(0x2400 + 0x18, 4);                                              // FLUSH_PT
  gpu.pass(ms);
  gpu.ring_global();
  gpu.pass(ms);
  EXPECT_EQ(gpu.read(mmio::mcu_status), 3u);
  EXPECT_NE(gpu.read(mmio::mmu_int_rawstat) & 1, 0u);
}

TEST(BootFaults, McuFatalOnBoot) {
  MiniDriver gpu;
  gpu.device.faults().arm(FaultSpec::parse("mcu-fatal-on-boot"));
  gpu.power_up();
  gpu.enable_as(0, gpu.mcu_vm.table);
  EXPECT_FALSE(gpu.start_mcu());
  EXPECT_EQ(gpu.read(mmio::mcu_status), 3u);
  gpu.soft_reset();
  gpu.boot();
}

TEST(BootFaults, McuBootLost) {
  MiniDriver gpu;
  gpu.device.faults().arm(FaultSpec::parse("mcu-boot-lost"));
  gpu.power_up();
  gpu.enable_as(0, gpu.mcu_vm.table);
  EXPECT_FALSE(gpu.start_mcu());
  EXPECT_EQ(gpu.read(mmio::mcu_status), 0u);
  gpu.stop_mcu();
  EXPECT_TRUE(gpu.start_mcu());
}

TEST_F(BootedTest, SleepStopsAndADoorbellWakes) {
  EXPECT_TRUE(gpu.global_request(fw::glb::sleep));
  EXPECT_EQ(gpu.read(mmio::mcu_status), 2u);
  EXPECT_TRUE(gpu.global_request(fw::glb::ping));
  EXPECT_EQ(gpu.read(mmio::mcu_status), 1u);
}

TEST_F(BootedTest, ProtectedModeIsLeftAtOnce) {
  EXPECT_TRUE(gpu.global_request(fw::glb::protm_enter));
  EXPECT_EQ(gpu.take_global_events(), fw::glb::protm_exit);
}

TEST_F(BootedTest, PerformanceCounterSamplesFillTheirRing) {
  const auto buffer = gpu.create_fw_buffer(0x10000);
  gpu.shared_set(fw::place::global_input, &GlbIn::perfcnt_base, buffer.va);
  EXPECT_TRUE(gpu.global_request(fw::glb::perfcnt_en));
  for (int i = 0; i < 8; ++i) EXPECT_TRUE(gpu.global_request(fw::glb::perfcnt_sample));
  EXPECT_EQ(gpu.global_out(&GlbOut::perfcnt_insert), 8u);
  EXPECT_NE(gpu.load<uint64_t>(buffer.pa), 0u);
  EXPECT_TRUE(gpu.global_request(fw::glb::perfcnt_sample));
  EXPECT_EQ(gpu.global_out(&GlbOut::perfcnt_insert), 8u);
  EXPECT_EQ(gpu.take_global_events(), fw::glb::perfcnt_overflow);
}

}  // namespace
}  // namespace vgpu::test
