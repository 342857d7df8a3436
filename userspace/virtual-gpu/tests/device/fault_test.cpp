// SPDX-License-Identifier: MIT
// Faults of the firmware, each seen where a driver would see it.
#include "tests/device/mini_driver.hpp"

namespace vgpu::test {
namespace {

using GO = fw::GroupOutput;
using SO = fw::StreamOutput;
constexpr uint64_t us = MiniDriver::us, ms = MiniDriver::ms;

class FaultTest : public BootedTest {
 protected:
  void arm(std::string_view spec) { gpu.device.faults().arm(FaultSpec::parse(spec)); }

  MiniDriver::Vm& vm = gpu.create_vm(1);
};

TEST_F(FaultTest, CsgAckLost_OnlyTheRequestThatIsNamed) {
  auto group = gpu.create_group(vm, 1);
  arm("csg-ack-lost:only=suspend");
  ASSERT_TRUE(gpu.place(group, 0));
  ASSERT_TRUE(gpu.status_update(0));
  EXPECT_FALSE(gpu.request_state(0, fw::csg::state_suspend));
  arm("csg-ack-lost:only=terminate");
  EXPECT_FALSE(gpu.request_state(0, fw::csg::state_terminate));
  EXPECT_TRUE(gpu.wait_job(group, 0, gpu.submit(group, 0, {isa::nop()}))) << "it runs on";
}

TEST_F(FaultTest, CsgAckLost_Resume) {
  auto group = gpu.create_group(vm, 1);
  arm("csg-ack-lost:only=resume");
  ASSERT_TRUE(gpu.place(group, 0));
  ASSERT_TRUE(gpu.evict(group));
  EXPECT_FALSE(gpu.place(group, 0, fw::csg::state_resume));
}

TEST_F(FaultTest, CsgAckLost_StatusUpdateAndEndpointConfig) {
  auto group = gpu.create_group(vm, 1);
  ASSERT_TRUE(gpu.place(group, 0));
  arm("csg-ack-lost:only=status-update");
  EXPECT_FALSE(gpu.status_update(0));
  gpu.ring_groups(1);
  gpu.pass(ms);
  EXPECT_EQ((gpu.group_in(0, &fw::GroupInput::req) ^ gpu.group_out(0, &GO::ack)) & fw::csg::status_update, 0u)
      << "the next look sees it";
  arm("csg-ack-lost:only=endpoint-config");
  gpu.shared_set(fw::place::group_input(0), &fw::GroupInput::req,
                 gpu.group_in(0, &fw::GroupInput::req) ^ fw::csg::endpoint_config);
  gpu.ring_groups(1);
  gpu.pass(ms);
  EXPECT_NE((gpu.group_in(0, &fw::GroupInput::req) ^ gpu.group_out(0, &GO::ack)) & fw::csg::endpoint_config,
            0u);
}

TEST_F(FaultTest, CsgIdleStatusLost_AnIdleGroupLooksBusy) {
  auto group = gpu.create_group(vm, 1);
  ASSERT_TRUE(gpu.place(group, 0));
  gpu.pass(5 * ms);
  arm("csg-idle-status-lost");
  ASSERT_TRUE(gpu.status_update(0));
  EXPECT_EQ(gpu.group_out(0, &GO::status_state), 0u);
  ASSERT_TRUE(gpu.status_update(0));
  EXPECT_EQ(gpu.group_out(0, &GO::status_state), fw::csg::status_is_idle);
}

TEST_F(FaultTest, InsertStale_TheJobIsFetchedAtTheNextLook) {
  auto group = gpu.create_group(vm, 1);
  ASSERT_TRUE(gpu.place(group, 0));
  ASSERT_TRUE(gpu.wait_job(group, 0, gpu.submit(group, 0, {isa::nop()})));
  arm("insert-stale");
  const uint64_t seqno = gpu.submit(group, 0, {isa::nop()});
  EXPECT_FALSE(gpu.wait_job(group, 0, seqno, 1000 * ms));
  gpu.write(mmio::doorbell(1), 1);
  EXPECT_TRUE(gpu.wait_job(group, 0, seqno));
}

TEST_F(FaultTest, ExtractNotWritten_TheJobEndsAllTheSame) {
  auto group = gpu.create_group(vm, 1);
  ASSERT_TRUE(gpu.place(group, 0));
  arm("extract-not-written:count=0");
  const uint64_t before = gpu.ring_extract(group, 0);
  ASSERT_TRUE(gpu.wait_job(group, 0, gpu.submit(group, 0, {isa::nop()})));
  gpu.pass(ms);
  EXPECT_EQ(gpu.ring_extract(group, 0), before);
}

TEST_F(FaultTest, SyncWriteLost_TheSeqnoStaysBehindForEver) {
  auto group = gpu.create_group(vm, 1);
  ASSERT_TRUE(gpu.place(group, 0));
  arm("sync-write-lost");
  EXPECT_FALSE(gpu.wait_job(group, 0, gpu.submit(group, 0, {isa::nop()}), 10 * ms));
  EXPECT_NE(gpu.take_events(0).csg & fw::csg::sync_update, 0u) << "the event comes, the value does not";
  const uint64_t second = gpu.submit(group, 0, {isa::nop()});
  EXPECT_FALSE(gpu.wait_job(group, 0, second, 10 * ms));
  EXPECT_EQ(gpu.done_seqno(group, 0), second - 1);
}

TEST_F(FaultTest, SyncWakeLost_AMetWaitGoesOnAtTheNextLook) {
  auto group = gpu.create_group(vm, 1);
  const auto sync = gpu.create_buffer(vm, 4096);
  ASSERT_TRUE(gpu.place(group, 0));
  const auto wait = [&](uint32_t value) {
    return gpu.submit(
        group, 0,
        {isa::move48(0, sync.va), isa::move32(2, value), isa::sync_wait32(isa::Condition::greater, 0, 2)});
  };
  arm("sync-wake-lost:count=0");
  const uint64_t seqno = wait(0);
  gpu.pass(ms);
  gpu.store<uint32_t>(sync.pa, 1);
  EXPECT_FALSE(gpu.wait_job(group, 0, seqno, 500 * ms));
  gpu.device.faults().disarm("sync-wake-lost");
  EXPECT_TRUE(gpu.wait_job(group, 0, seqno));
}

/// Every job begins with a FLUSH_CACHE2 and a wait for its entry, as panthor's do.
TEST_F(FaultTest, CsFlushLost_ItsScoreboardEntryStaysTaken) {
  auto group = gpu.create_group(vm, 1);
  ASSERT_TRUE(gpu.place(group, 0));
  arm("cs-flush-lost");
  EXPECT_FALSE(gpu.wait_job(group, 0, gpu.submit(group, 0, {isa::nop()}), 500 * ms));
  ASSERT_TRUE(gpu.status_update(0));
  EXPECT_EQ(gpu.stream_out(0, 0, &SO::status_blocked_reason), 1u) << "scoreboard";
  EXPECT_EQ(gpu.stream_out(0, 0, &SO::status_scoreboards), 1u);
  EXPECT_TRUE(gpu.evict(group, fw::csg::state_terminate));
}

TEST_F(FaultTest, CsFaultLost_AFatalStreamIsDeadAndSilent) {
  auto group = gpu.create_group(vm, 1);
  ASSERT_TRUE(gpu.place(group, 0));
  arm("cs-fault-lost:only=fatal");
  const uint64_t seqno = gpu.submit(group, 0, {0xff00'0000'0000'0000});
  EXPECT_FALSE(gpu.wait_job(group, 0, seqno, 500 * ms));
  EXPECT_EQ(gpu.take_events(0).cs[0], 0u);
  EXPECT_EQ(gpu.stream_out(0, 0, &SO::fatal), 0u);
}

TEST_F(FaultTest, CsFaultLost_AFaultedStreamGoesOnWithoutAWord) {
  auto group = gpu.create_group(vm, 1);
  ASSERT_TRUE(gpu.place(group, 0));
  arm("cs-fault-lost:only=fault");
  const uint64_t seqno =
      gpu.submit(group, 0, {isa::move48(0, 2), isa::store_multiple(2, 1, 0), isa::wait(0xff)});
  EXPECT_TRUE(gpu.wait_job(group, 0, seqno));
  EXPECT_EQ(gpu.take_events(0).cs[0], 0u);
}

TEST_F(FaultTest, McuHung_OnlyAResetHelps) {
  auto group = gpu.create_group(vm, 1);
  ASSERT_TRUE(gpu.place(group, 0));
  arm("mcu-hung");
  EXPECT_FALSE(gpu.wait_job(group, 0, gpu.submit(group, 0, {isa::nop()}), 500 * ms));
  EXPECT_FALSE(gpu.global_request(fw::glb::ping));
  EXPECT_EQ(gpu.read(mmio::mcu_status), 1u) << "it still looks alive";
  gpu.soft_reset();
  gpu.reload_sections();
  gpu.boot();
  EXPECT_TRUE(gpu.global_request(fw::glb::ping));
}

TEST_F(FaultTest, McuFatal_ShowsInMcuStatusOnly) {
  auto group = gpu.create_group(vm, 1);
  ASSERT_TRUE(gpu.place(group, 0));
  gpu.write(mmio::job_int_clear, ~0u);
  arm("mcu-fatal");
  EXPECT_FALSE(gpu.wait_job(group, 0, gpu.submit(group, 0, {isa::nop()}), 500 * ms));
  EXPECT_EQ(gpu.read(mmio::mcu_status), 3u);
  EXPECT_EQ(gpu.read(mmio::job_int_rawstat), 0u);
}

TEST_F(FaultTest, McuHaltLost_TheMcuRunsOn) {
  arm("mcu-halt-lost");
  EXPECT_FALSE(gpu.halt_mcu());
  EXPECT_EQ(gpu.read(mmio::mcu_status), 1u);
}

TEST_F(FaultTest, DoorbellLost_OfAQueueLeavesTheGlobalOne) {
  auto group = gpu.create_group(vm, 1);
  ASSERT_TRUE(gpu.place(group, 0));
  gpu.pass(10 * us);
  arm("doorbell-lost:only=user:count=0");
  EXPECT_FALSE(gpu.wait_job(group, 0, gpu.submit(group, 0, {isa::nop()}), 500 * ms));
  EXPECT_TRUE(gpu.global_request(fw::glb::ping));
}

}  // namespace
}  // namespace vgpu::test
