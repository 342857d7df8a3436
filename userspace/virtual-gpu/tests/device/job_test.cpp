// SPDX-License-Identifier: MIT
#include "firmware/suspend_buffer.hpp"
#include "tests/device/mini_driver.hpp"

namespace vgpu::test {
namespace {

using GO = fw::GroupOutput;
using SI = fw::StreamInput;
using SO = fw::StreamOutput;
constexpr uint64_t us = MiniDriver::us, ms = MiniDriver::ms;

class JobTest : public BootedTest {
 protected:
  MiniDriver::Vm& vm = gpu.create_vm(1);
};

TEST_F(JobTest, RunsFromRingToSyncUpdateAndIdle) {
  auto group = gpu.create_group(vm, 1);
  const auto out = gpu.create_buffer(vm, 4096);
  ASSERT_TRUE(gpu.place(group, 0));
  gpu.write(mmio::job_int_clear, ~0u);
  const uint64_t seqno = gpu.submit(
      group, 0,
      {isa::move48(0, out.va), isa::move32(2, 0x1234), isa::store_multiple(2, 1, 0), isa::wait(0xff)});
  ASSERT_TRUE(gpu.wait_job(group, 0, seqno));
  EXPECT_EQ(gpu.load<uint32_t>(out.pa), 0x1234u);
  EXPECT_TRUE(gpu.lines.level(IrqLine::job));
  EXPECT_EQ(gpu.take_events(0).csg, fw::csg::sync_update);
  gpu.pass(10 * us);
  EXPECT_EQ(gpu.ring_extract(group, 0), group.queues[0].insert);
  gpu.pass(2 * ms);
  EXPECT_EQ(gpu.take_events(0).csg, fw::csg::idle);
  EXPECT_EQ(gpu.take_global_events(), fw::glb::idle);
  ASSERT_TRUE(gpu.status_update(0));
  EXPECT_EQ(gpu.group_out(0, &GO::status_state), fw::csg::status_is_idle);
}

TEST_F(JobTest, ADoorbellWakesAnEmptyQueue) {
  auto group = gpu.create_group(vm, 1);
  ASSERT_TRUE(gpu.place(group, 3));
  gpu.pass(5 * ms);
  for (int i = 0; i < 100; ++i) ASSERT_TRUE(gpu.wait_job(group, 0, gpu.submit(group, 0, {isa::nop()})));
}

TEST_F(JobTest, WithoutADoorbellNothingHappens) {
  auto group = gpu.create_group(vm, 1);
  ASSERT_TRUE(gpu.place(group, 0));
  gpu.pass(ms);
  const uint64_t seqno = gpu.submit(group, 0, {isa::nop()}, false);
  EXPECT_FALSE(gpu.wait_job(group, 0, seqno, 1000 * ms));
  gpu.write(mmio::doorbell(1), 1);
  EXPECT_TRUE(gpu.wait_job(group, 0, seqno));
}

TEST_F(JobTest, EightGroupsOfEightQueuesRunTogether) {
  std::vector<MiniDriver::Group> groups;
  for (unsigned i = 0; i < 8; ++i) groups.push_back(gpu.create_group(vm, 8, 4096));
  for (unsigned i = 0; i < 8; ++i) ASSERT_TRUE(gpu.place(groups[i], i));
  for (int round = 0; round < 3; ++round)
    for (auto& g : groups)
      for (unsigned q = 0; q < 8; ++q)
        gpu.submit(
            g, q,
            {isa::move32(0, 50), isa::add_imm32(0, 0, -1), isa::branch(isa::Condition::greater, 0, -2)});
  for (auto& g : groups)
    for (unsigned q = 0; q < 8; ++q) EXPECT_TRUE(gpu.wait_job(g, q, 3));
}

TEST_F(JobTest, AStreamWaitsForAnotherGroupsSyncObject) {
  auto waiter = gpu.create_group(vm, 1), setter = gpu.create_group(vm, 1);
  const auto sync = gpu.create_buffer(vm, 4096);
  ASSERT_TRUE(gpu.place(waiter, 0));
  ASSERT_TRUE(gpu.place(setter, 1));
  const uint64_t waited = gpu.submit(
      waiter, 0,
      {isa::move48(0, sync.va), isa::move48(2, 4), isa::sync_wait64(isa::Condition::greater, 0, 2)});
  gpu.pass(5 * ms);
  EXPECT_EQ(gpu.done_seqno(waiter, 0), 0u);
  ASSERT_TRUE(gpu.status_update(0));
  EXPECT_EQ(gpu.stream_out(0, 0, &SO::status_blocked_reason), 3u);
  EXPECT_EQ(gpu.stream_out(0, 0, &SO::status_wait_sync_ptr), sync.va);
  EXPECT_EQ(gpu.stream_out(0, 0, &SO::status_wait_sync_value), 4u);
  EXPECT_EQ(gpu.stream_out(0, 0, &SO::status_wait),
            fw::cs_bits::wait_sync | fw::cs_bits::wait_sync_64b | 1u << 24);
  EXPECT_EQ(gpu.stream_out(0, 0, &SO::status_scoreboards), 0u);
  EXPECT_EQ(gpu.take_events(0).csg & fw::csg::idle, fw::csg::idle)
      << "blocked on a sync object counts as idle";
  gpu.submit(setter, 0, {isa::move48(0, sync.va), isa::move48(2, 5), isa::sync_set64(0, 2, isa::Scope::csg)});
  EXPECT_TRUE(gpu.wait_job(waiter, 0, waited, ms));
}

TEST_F(JobTest, ACpuWriteToASyncObjectIsSeen) {
  auto group = gpu.create_group(vm, 1);
  const auto sync = gpu.create_buffer(vm, 4096);
  ASSERT_TRUE(gpu.place(group, 0));
  const uint64_t seqno = gpu.submit(
      group, 0,
      {isa::move48(0, sync.va), isa::move32(2, 0), isa::sync_wait32(isa::Condition::greater, 0, 2)});
  gpu.pass(ms);
  gpu.store<uint32_t>(sync.pa, 1);
  EXPECT_TRUE(gpu.wait_job(group, 0, seqno, 50 * ms));
}

TEST_F(JobTest, SuspendInTheMiddleOfAWaitAndResumeElsewhere) {
  auto group = gpu.create_group(vm, 2);
  const auto sync = gpu.create_buffer(vm, 4096);
  ASSERT_TRUE(gpu.place(group, 0));
  const uint64_t seqno = gpu.submit(
      group, 1,
      {isa::move32(10, 77), isa::move48(0, sync.va), isa::move48(2, 0),
       isa::sync_wait64(isa::Condition::greater, 0, 2), isa::store_multiple(10, 1, 0, 8), isa::wait(0xff)});
  gpu.pass(ms);
  ASSERT_TRUE(gpu.evict(group));
  EXPECT_EQ(gpu.stream_out(0, 1, &SO::status_blocked_reason), 3u)
      << "the driver reads the wait from a suspended slot";
  EXPECT_EQ(gpu.load<uint32_t>(group.suspend.pa), fw::GroupImage::current_magic);
  gpu.store<uint64_t>(sync.pa, 1);
  gpu.pass(50 * ms);
  EXPECT_EQ(gpu.done_seqno(group, 1), 0u) << "a suspended group does not run";
  ASSERT_TRUE(gpu.place(group, 5, fw::csg::state_resume));
  EXPECT_TRUE(gpu.wait_job(group, 1, seqno));
  EXPECT_EQ(gpu.load<uint32_t>(sync.pa + 8), 77u) << "registers survived";
  EXPECT_TRUE(gpu.wait_job(group, 1, gpu.submit(group, 1, {isa::nop()})));
}

TEST_F(JobTest, ACorruptedSuspendBufferIsFatalForTheGroup) {
  auto group = gpu.create_group(vm, 1);
  ASSERT_TRUE(gpu.place(group, 0));
  ASSERT_TRUE(gpu.evict(group));
  gpu.store<uint32_t>(group.suspend.pa + 0x100, ~gpu.load<uint32_t>(group.suspend.pa + 0x100));
  ASSERT_TRUE(gpu.place(group, 0, fw::csg::state_resume));
  EXPECT_EQ(gpu.take_events(0).cs[0], fw::cs_bits::fatal);
  EXPECT_EQ(gpu.stream_out(0, 0, &SO::fatal) & 0xff, fw::exception::firmware_internal_error);
}

TEST_F(JobTest, AnEndlessLoopCanBeSuspendedAndTerminated) {
  auto group = gpu.create_group(vm, 1);
  ASSERT_TRUE(gpu.place(group, 0));
  gpu.submit(group, 0, {isa::nop(), isa::branch(isa::Condition::always, 0, -2)});
  gpu.pass(500 * ms);
  EXPECT_LT(gpu.log.counter("cs.instructions"), 20'000'000u) << "a spinning stream must not burn the host";
  ASSERT_TRUE(gpu.status_update(0));
  EXPECT_EQ(gpu.stream_out(0, 0, &SO::status_blocked_reason), 0u);
  EXPECT_EQ(gpu.group_out(0, &GO::status_state), 0u);
  ASSERT_TRUE(gpu.evict(group));
  ASSERT_TRUE(gpu.place(group, 1, fw::csg::state_resume));
  gpu.pass(10 * ms);
  EXPECT_TRUE(gpu.evict(group, fw::csg::state_terminate));
  EXPECT_EQ(gpu.done_seqno(group, 0), 0u);
}

TEST_F(JobTest, AnInvalidInstructionIsFatalForItsStreamOnly) {
  auto group = gpu.create_group(vm, 2);
  ASSERT_TRUE(gpu.place(group, 0));
  gpu.submit(group, 0, {0xff00'0000'0000'0000});
  gpu.pass(ms);
  EXPECT_EQ(gpu.take_events(0).cs[0], fw::cs_bits::fatal);
  EXPECT_EQ(gpu.stream_out(0, 0, &SO::fatal) & 0xff, 0x49u);
  EXPECT_TRUE(gpu.wait_job(group, 1, gpu.submit(group, 1, {isa::nop()})));
  EXPECT_TRUE(gpu.evict(group, fw::csg::state_terminate));
}

TEST_F(JobTest, ADeadStreamStaysDeadAcrossASuspend) {
  auto group = gpu.create_group(vm, 1);
  ASSERT_TRUE(gpu.place(group, 0));
  const uint64_t seqno = gpu.submit(group, 0, {0xff00'0000'0000'0000});
  gpu.pass(ms);
  ASSERT_TRUE(gpu.evict(group));
  ASSERT_TRUE(gpu.place(group, 0, fw::csg::state_resume));
  EXPECT_FALSE(gpu.wait_job(group, 0, seqno));
}

TEST_F(JobTest, ExtractEventIsRaisedOnce) {
  auto group = gpu.create_group(vm, 1);
  ASSERT_TRUE(gpu.place(group, 0));
  gpu.pass(ms);
  const uint32_t bit = fw::cs_bits::extract_event, in = fw::place::stream_input(0, 0);
  gpu.shared_set(in, &SI::req, gpu.stream_in(0, 0, &SI::req) ^ bit);
  gpu.shared_set(fw::place::group_input(0), &fw::GroupInput::doorbell_req,
                 ~gpu.group_out(0, &GO::doorbell_ack) & 1);
  gpu.ring_groups(1);
  gpu.pass(ms);
  EXPECT_NE((gpu.stream_in(0, 0, &SI::req) ^ gpu.stream_out(0, 0, &SO::ack)) & bit, 0u);
  gpu.submit(group, 0, {isa::nop()});
  gpu.pass(ms);
  EXPECT_EQ((gpu.stream_in(0, 0, &SI::req) ^ gpu.stream_out(0, 0, &SO::ack)) & bit, 0u);
}

TEST_F(JobTest, AFaultingFetchStallsUntilTheDriverDisablesTheAddressSpace) {
  auto group = gpu.create_group(vm, 1);
  ASSERT_TRUE(gpu.place(group, 0));
  gpu.submit(group, 0,
             {isa::move48(0, 0x7f00'0000'0000 & 0xffff'ffff'ffff), isa::move32(2, 8), isa::jump(0, 2)});
  gpu.pass(10 * ms);
  EXPECT_NE(gpu.read(mmio::mmu_int_rawstat) & 1u << 1, 0u);
  EXPECT_EQ(gpu.take_events(0).cs[0], 0u) << "stalled, not dead";
  gpu.disable_as(1);
  gpu.pass(ms);
  EXPECT_EQ(gpu.take_events(0).cs[0] & fw::cs_bits::fatal, fw::cs_bits::fatal);
  EXPECT_EQ(gpu.stream_out(0, 0, &SO::fatal) & 0xff, fw::exception::cs_bus_fault);
  EXPECT_TRUE(gpu.evict(group, fw::csg::state_terminate));
}

TEST_F(JobTest, AFaultHoldsItsStreamInsideTheJobUntilTheDriverHasSeenIt) {
  auto group = gpu.create_group(vm, 1);
  ASSERT_TRUE(gpu.place(group, 0));
  const uint64_t start = gpu.ring_extract(group, 0);
  const uint64_t faulty =
      gpu.submit(group, 0, {isa::move48(0, 2), isa::store_multiple(2, 1, 0), isa::wait(0xff)});
  const uint64_t end = group.queues[0].insert;
  const uint64_t next = gpu.submit(group, 0, {isa::nop()});
  gpu.pass(5 * ms);
  EXPECT_GE(gpu.ring_extract(group, 0), start);
  EXPECT_LT(gpu.ring_extract(group, 0), end) << "panthor looks for the job at fault by EXTRACT";
  EXPECT_EQ(gpu.take_events(0).cs[0], fw::cs_bits::fault);
  EXPECT_TRUE(gpu.wait_job(group, 0, faulty));
  EXPECT_TRUE(gpu.wait_job(group, 0, next));
}

TEST_F(JobTest, SuspendWaitsForAStalledAccessTerminateDoesNot) {
  auto group = gpu.create_group(vm, 1);
  ASSERT_TRUE(gpu.place(group, 0));
  gpu.submit(group, 0, {isa::move48(0, 0x7f00'0000'0000), isa::load_multiple(2, 1, 0), isa::wait(0xff)});
  gpu.pass(ms);
  EXPECT_FALSE(gpu.request_state(0, fw::csg::state_suspend));
  EXPECT_TRUE(gpu.request_state(0, fw::csg::state_terminate));
}

TEST_F(JobTest, TheGroupMayComeBackToASlotItLeft) {
  auto a = gpu.create_group(vm, 1), b = gpu.create_group(vm, 1);
  ASSERT_TRUE(gpu.place(a, 0));
  gpu.submit(a, 0, {isa::nop()});
  ASSERT_TRUE(gpu.wait_job(a, 0, 1));
  for (int i = 2; i < 20; ++i) {
    ASSERT_TRUE(gpu.evict(a));
    ASSERT_TRUE(gpu.place(b, 0, i == 2 ? fw::csg::state_start : fw::csg::state_resume));
    ASSERT_TRUE(gpu.wait_job(b, 0, gpu.submit(b, 0, {isa::nop()})));
    ASSERT_TRUE(gpu.evict(b));
    ASSERT_TRUE(gpu.place(a, 0, fw::csg::state_resume));
    ASSERT_TRUE(gpu.wait_job(a, 0, gpu.submit(a, 0, {isa::nop()})));
  }
}

TEST_F(JobTest, CsgAckLost_StaysOffItsSlot) {
  auto group = gpu.create_group(vm, 1);
  gpu.device.faults().arm(FaultSpec::parse("csg-ack-lost"));
  gpu.submit(group, 0, {isa::nop()});
  EXPECT_FALSE(gpu.place(group, 0));
  EXPECT_EQ(gpu.done_seqno(group, 0), 0u);
}

TEST_F(JobTest, SyncUpdateLost_MemoryIsRightButNobodyIsTold) {
  auto group = gpu.create_group(vm, 1);
  ASSERT_TRUE(gpu.place(group, 0));
  gpu.write(mmio::job_int_clear, ~0u);
  gpu.device.faults().arm(FaultSpec::parse("sync-update-lost"));
  ASSERT_TRUE(gpu.wait_job(group, 0, gpu.submit(group, 0, {isa::nop()})));
  EXPECT_EQ(gpu.take_events(0).csg & fw::csg::sync_update, 0u);
}

TEST_F(JobTest, CsgIdleEventLost) {
  auto group = gpu.create_group(vm, 1);
  gpu.device.faults().arm(FaultSpec::parse("csg-idle-event-lost"));
  ASSERT_TRUE(gpu.place(group, 0));
  gpu.pass(10 * ms);
  EXPECT_EQ(gpu.take_events(0).csg & fw::csg::idle, 0u);
}

TEST_F(JobTest, SoftResetInTheMiddleOfWork) {
  auto group = gpu.create_group(vm, 4);
  ASSERT_TRUE(gpu.place(group, 0));
  for (unsigned q = 0; q < 4; ++q)
    gpu.submit(group, q, {isa::nop(), isa::branch(isa::Condition::always, 0, -2)});
  gpu.pass(ms);
  gpu.soft_reset();
  gpu.pass(10 * ms);
  const uint64_t instructions = gpu.log.counter("cs.instructions");
  gpu.pass(100 * ms);
  EXPECT_EQ(gpu.log.counter("cs.instructions"), instructions) << "nothing runs after a reset";
  gpu.reload_sections();
  gpu.boot();
  auto& vm2 = gpu.create_vm(2);
  auto other = gpu.create_group(vm2, 1);
  ASSERT_TRUE(gpu.place(other, 0));
  EXPECT_TRUE(gpu.wait_job(other, 0, gpu.submit(other, 0, {isa::nop()})));
}

}  // namespace
}  // namespace vgpu::test
