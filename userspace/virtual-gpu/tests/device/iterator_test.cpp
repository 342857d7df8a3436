// SPDX-License-Identifier: MIT
// Jobs on the shader cores and the tiler: time, priority, preemption, the progress timer, the tiler heap.
#include "tests/device/mini_driver.hpp"

namespace vgpu::test {
namespace {

using SI = fw::StreamInput;
using SO = fw::StreamOutput;
constexpr uint64_t us = MiniDriver::us, ms = MiniDriver::ms;

class IteratorTest : public BootedTest {
 protected:
  IteratorTest() {
    vm.table.map(code.va, code.pa, 12, pte::access_flag | pte::unprivileged | pte::read_only);
    gpu.store<uint32_t>(data.pa, 8 | 1 << 4 | 2u << 30);  // shader program: compute, 32 registers
    gpu.store<uint64_t>(data.pa + 8, code.va);            // its binary
    gpu.store<uint32_t>(data.pa + 64 + 4, 31);            // local storage: no workgroup memory
  }

  /// RUN_COMPUTE of `groups` x 1 x 1 workgroups of 64 threads, one a task, and the wait for it.
  [[nodiscard]] std::vector<uint64_t> compute(uint32_t groups, unsigned increment = 1,
                                              bool wait = true) const {
    std::vector<uint64_t> s{isa::set_sb_entry(2, 0),
                            isa::move48(0, 0),
                            isa::move48(8, 0),
                            isa::move48(16, data.va),
                            isa::move48(24, data.va + 64),
                            isa::move32(33, 63),
                            isa::move32(34, 0),
                            isa::move32(35, 0),
                            isa::move32(36, 0),
                            isa::move32(37, groups),
                            isa::move32(38, 1),
                            isa::move32(39, 1),
                            isa::run_compute(isa::TaskAxis::x, increment)};
    if (wait) s.push_back(isa::wait(1 << 2));
    return s;
  }
  uint64_t time_of(MiniDriver::Group& g, uint32_t groups) {
    const uint64_t from = gpu.clock.now_ns();
    EXPECT_TRUE(gpu.wait_job(g, 0, gpu.submit(g, 0, compute(groups)), 20'000 * ms));
    return gpu.clock.now_ns() - from;
  }

  MiniDriver::Vm& vm = gpu.create_vm(1);
  MiniDriver::Buffer data = gpu.create_buffer(vm, 4096), code = gpu.create_buffer(vm, 4096);
};

TEST_F(IteratorTest, TimeGrowsWithWorkAndShrinksWithCores) {
  auto group = gpu.create_group(vm, 1);
  ASSERT_TRUE(gpu.place(group, 0));
  time_of(group, 1);  // powers the cores up
  const uint64_t small = time_of(group, 10'000), large = time_of(group, 40'000);
  EXPECT_NEAR(static_cast<double>(large), 4.0 * static_cast<double>(small), 0.1 * static_cast<double>(large));
  ASSERT_TRUE(gpu.evict(group));
  group.endpoints = fw::EndpointRequest{.compute = 1}.encode();
  ASSERT_TRUE(gpu.place(group, 0, fw::csg::state_resume));
  EXPECT_NEAR(static_cast<double>(time_of(group, 10'000)), 4.0 * static_cast<double>(small),
              0.1 * static_cast<double>(large));
}

TEST_F(IteratorTest, ShaderPowerFollowsTheWork) {
  auto group = gpu.create_group(vm, 1);
  ASSERT_TRUE(gpu.place(group, 0));
  EXPECT_EQ(gpu.read(0x140), 0u);
  gpu.submit(group, 0, compute(1'000'000));
  gpu.pass(ms);
  EXPECT_EQ(gpu.read(0x140), 0x50005u);
  ASSERT_TRUE(gpu.wait_job(group, 0, 1, 10'000 * ms));
  gpu.pass(5 * ms);
  EXPECT_EQ(gpu.read(0x140), 0x50005u) << "hysteresis of 10 ms";
  gpu.pass(10 * ms);
  EXPECT_EQ(gpu.read(0x140), 0u);
}

TEST_F(IteratorTest, ALongJobIsPreemptedBySuspendAndGoesOn) {
  auto group = gpu.create_group(vm, 1);
  ASSERT_TRUE(gpu.place(group, 0));
  time_of(group, 1);
  const uint64_t whole = time_of(group, 2'000'000);
  ASSERT_GT(whole, 20 * ms);
  const uint64_t seqno = gpu.submit(group, 0, compute(2'000'000));
  gpu.pass(whole / 2);
  const uint64_t from = gpu.clock.now_ns();
  ASSERT_TRUE(gpu.evict(group)) << "within 100 ms, whatever the job does";
  EXPECT_EQ(gpu.stream_out(0, 0, &SO::status_scoreboards), 1u << 2) << "the job is not done";
  EXPECT_EQ(gpu.stream_out(0, 0, &SO::status_blocked_reason), 1u);
  gpu.pass(2 * whole);
  EXPECT_LT(gpu.done_seqno(group, 0), seqno);
  ASSERT_TRUE(gpu.place(group, 4, fw::csg::state_resume));
  const uint64_t resumed = gpu.clock.now_ns();
  ASSERT_TRUE(gpu.wait_job(group, 0, seqno, 10 * whole));
  EXPECT_LT(gpu.clock.now_ns() - resumed, whole * 6 / 10) << "work done before the suspend is not repeated";
  EXPECT_GT(from, 0u);
}

TEST_F(IteratorTest, TheMoreUrgentGroupGoesFirst) {
  auto low = gpu.create_group(vm, 1), high = gpu.create_group(vm, 1);
  ASSERT_TRUE(gpu.place(low, 0, fw::csg::state_start, 1));
  ASSERT_TRUE(gpu.place(high, 1, fw::csg::state_start, 15));
  time_of(low, 1);
  const uint64_t alone = time_of(high, 1'000'000);
  const uint64_t low_seqno = gpu.submit(low, 0, compute(4'000'000));
  gpu.pass(ms);
  EXPECT_LT(time_of(high, 1'000'000), alone + ms);
  EXPECT_LT(gpu.done_seqno(low, 0), low_seqno);
  EXPECT_TRUE(gpu.wait_job(low, 0, low_seqno, 20'000 * ms));
}

TEST_F(IteratorTest, AThirdJobOfOneKindBlocksOnResources) {
  auto group = gpu.create_group(vm, 1);
  ASSERT_TRUE(gpu.place(group, 0));
  std::vector<uint64_t> s;
  for (int i = 0; i < 3; ++i)
    for (const uint64_t word : compute(1'000'000, 1, false)) s.push_back(word);
  s.push_back(isa::wait(1 << 2));
  const uint64_t seqno = gpu.submit(group, 0, s);
  gpu.pass(ms);
  ASSERT_TRUE(gpu.status_update(0));
  EXPECT_EQ(gpu.stream_out(0, 0, &SO::status_blocked_reason), 5u);
  EXPECT_TRUE(gpu.wait_job(group, 0, seqno, 20'000 * ms));
}

TEST_F(IteratorTest, ATaskThatTakesTooLongTriggersTheProgressTimer) {
  gpu.shared_set(fw::place::global_input, &fw::GlobalInput::progress_timer, 100);  // 102.4 us at 1 GHz
  ASSERT_TRUE(gpu.global_request(fw::glb::cfg_progress_timer));
  auto group = gpu.create_group(vm, 1);
  ASSERT_TRUE(gpu.place(group, 0));
  gpu.submit(group, 0, compute(16'000, 16'000));
  EXPECT_TRUE(
      gpu.wait_for([&] { return (gpu.take_events(0).csg & fw::csg::progress_timer_event) != 0; }, 100 * ms));
}

TEST_F(IteratorTest, AJobThatNeverEndsHoldsItsEndpointsAlsoAcrossASuspend) {
  auto group = gpu.create_group(vm, 1);
  ASSERT_TRUE(gpu.place(group, 0));
  gpu.device.faults().arm(FaultSpec::parse("job-never-ends:only=compute"));
  const uint64_t seqno = gpu.submit(group, 0, compute(100));
  EXPECT_FALSE(gpu.wait_job(group, 0, seqno, 1000 * ms));
  ASSERT_TRUE(gpu.evict(group));
  ASSERT_TRUE(gpu.place(group, 1, fw::csg::state_resume));
  EXPECT_FALSE(gpu.wait_job(group, 0, seqno, 1000 * ms));
  EXPECT_TRUE(gpu.evict(group, fw::csg::state_terminate));
}

TEST_F(IteratorTest, ManyShortTasksAreProgress) {
  gpu.shared_set(fw::place::global_input, &fw::GlobalInput::progress_timer, 100);
  ASSERT_TRUE(gpu.global_request(fw::glb::cfg_progress_timer));
  auto group = gpu.create_group(vm, 1);
  ASSERT_TRUE(gpu.place(group, 0));
  time_of(group, 1'000'000);
  EXPECT_EQ(gpu.take_events(0).csg & fw::csg::progress_timer_event, 0u);
}

TEST_F(IteratorTest, ABadDescriptorIsAFaultTheSyncObjectInherits) {
  auto group = gpu.create_group(vm, 1);
  ASSERT_TRUE(gpu.place(group, 0));
  gpu.store<uint32_t>(data.pa, 0);
  const uint64_t seqno = gpu.submit(group, 0, compute(16));
  ASSERT_TRUE(gpu.wait_for([&] { return gpu.take_events(0).cs[0] == fw::cs_bits::fault; }, 10 * ms));
  EXPECT_NE(gpu.stream_out(0, 0, &SO::fault) & 0xff, 0u);
  ASSERT_TRUE(gpu.wait_job(group, 0, seqno));
  EXPECT_NE(gpu.job_status(group, 0), 0u) << "error propagation";
  gpu.store<uint32_t>(data.pa, 8 | 1 << 4 | 2u << 30);
  ASSERT_TRUE(gpu.wait_job(group, 0, gpu.submit(group, 0, compute(16))));
  EXPECT_EQ(gpu.take_events(0).cs[0], 0u) << "ERROR_BARRIER ended it";
}

TEST_F(IteratorTest, AJobWhoseDescriptorFaultsWaitsForTheDriver) {
  auto group = gpu.create_group(vm, 1);
  ASSERT_TRUE(gpu.place(group, 0));
  vm.table.unmap(data.va);
  const uint64_t seqno = gpu.submit(group, 0, compute(16));
  gpu.pass(ms);
  EXPECT_NE(gpu.read(mmio::mmu_int_rawstat) & 1u << 1, 0u);
  EXPECT_LT(gpu.done_seqno(group, 0), seqno);
  vm.table.map(data.va, data.pa);
  gpu.write(mmio::mmu_int_clear, ~0u);
  gpu.enable_as(1, vm.table);
  EXPECT_TRUE(gpu.wait_job(group, 0, seqno));
}

/// A tiler context over a heap of one small chunk, and a heap context the driver zeroed.
class TilerOomTest : public IteratorTest {
 protected:
  static constexpr uint64_t chunk_size = 128u << 10;

  TilerOomTest() {
    gpu.store<uint64_t>(tiler.pa + 24, tiler.va + 0x800);       // Heap
    gpu.store<uint32_t>(tiler.pa + 0x800, 9 | 2 << 4);          // Buffer, tiler heap
    gpu.store<uint64_t>(tiler.pa + 0x800 + 8, chunk.va);        // Base
    gpu.store<uint64_t>(tiler.pa + 0x800 + 16, chunk.va + 64);  // Bottom
    gpu.store<uint64_t>(tiler.pa + 0x800 + 24, chunk.va + chunk_size);
  }
  [[nodiscard]] std::vector<uint64_t> draw(uint32_t vertices) const {
    return {isa::set_sb_entry(2, 0),
            isa::move48(60, heap.va),
            isa::heap_set(60),
            isa::heap_operation(isa::HeapOp::vertex_tiler_started),
            isa::req_resource(isa::resource_tiler | isa::resource_idvs),
            isa::move48(40, tiler.va),
            isa::move32(33, vertices),
            isa::move32(34, 1),
            isa::run_idvs(0),
            isa::finish_tiling(),
            isa::wait(1 << 2),
            isa::heap_operation(isa::HeapOp::vertex_tiler_completed)};
  }
  bool wait_oom(unsigned slot = 0) {
    return gpu.wait_for([&] {
      return ((gpu.stream_in(slot, 0, &SI::req) ^ gpu.stream_out(slot, 0, &SO::ack)) &
              fw::cs_bits::tiler_oom) != 0;
    });
  }
  /// group_process_tiler_oom().
  void answer(unsigned slot, uint64_t pointer) {
    const uint32_t in = fw::place::stream_input(slot, 0);
    gpu.shared_set(in, &SI::heap_start, pointer);
    gpu.shared_set(in, &SI::heap_end, pointer);
    const uint32_t bit = fw::cs_bits::tiler_oom;
    gpu.shared_set(in, &SI::req,
                   (gpu.stream_in(slot, 0, &SI::req) & ~bit) | (gpu.stream_out(slot, 0, &SO::ack) & bit));
    const uint32_t group = fw::place::group_input(slot);
    gpu.shared_set(group, &fw::GroupInput::doorbell_req,
                   ~gpu.group_out(slot, &fw::GroupOutput::doorbell_ack) & 1);
    gpu.ring_groups(1u << slot);
  }
  uint64_t new_chunk() { return gpu.create_buffer(vm, chunk_size).va | chunk_size >> 12; }

  MiniDriver::Buffer tiler = gpu.create_buffer(vm, 4096), heap = gpu.create_buffer(vm, 4096),
                     chunk = gpu.create_buffer(vm, chunk_size);
};

TEST_F(TilerOomTest, WhatFitsAsksNobody) {
  auto group = gpu.create_group(vm, 1);
  ASSERT_TRUE(gpu.place(group, 0));
  EXPECT_TRUE(gpu.wait_job(group, 0, gpu.submit(group, 0, draw(300))));
  EXPECT_EQ(gpu.log.counter("cs.tiler_oom"), 0u);
}

TEST_F(TilerOomTest, AsksForChunksUntilTheJobFits) {
  auto group = gpu.create_group(vm, 1);
  ASSERT_TRUE(gpu.place(group, 0));
  const uint64_t seqno = gpu.submit(group, 0, draw(30'000));
  int grown = 0;
  while (wait_oom() && gpu.done_seqno(group, 0) < seqno && grown < 100) {
    if (grown == 0) {
      EXPECT_EQ(gpu.stream_out(0, 0, &SO::heap_address), heap.va);
      EXPECT_EQ(gpu.stream_out(0, 0, &SO::heap_vt_start), 1u);
      EXPECT_EQ(gpu.stream_out(0, 0, &SO::heap_vt_end), 0u);
      EXPECT_EQ(gpu.stream_out(0, 0, &SO::heap_frag_end), 0u);
    }
    answer(0, new_chunk());
    gpu.pass(100 * us);
    ++grown;
  }
  EXPECT_TRUE(gpu.wait_job(group, 0, seqno));
  EXPECT_GT(grown, 0);
  EXPECT_EQ(gpu.log.counter("cs.tiler_oom"), static_cast<uint64_t>(grown));
  EXPECT_NE(gpu.load<uint64_t>(tiler.pa + 40), 0u) << "the chunks are on the tiler context's list";
}

TEST_F(TilerOomTest, WithoutAChunkAndAHandlerTheJobFaults) {
  auto group = gpu.create_group(vm, 1);
  ASSERT_TRUE(gpu.place(group, 0));
  const uint64_t seqno = gpu.submit(group, 0, draw(30'000));
  ASSERT_TRUE(wait_oom());
  answer(0, 0);
  ASSERT_TRUE(gpu.wait_for([&] { return (gpu.take_events(0).cs[0] & fw::cs_bits::fault) != 0; }, 10 * ms));
  EXPECT_EQ(gpu.stream_out(0, 0, &SO::fault) & 0xff, fw::exception::oom);
  ASSERT_TRUE(gpu.wait_job(group, 0, seqno));
  EXPECT_NE(gpu.job_status(group, 0), 0u);
}

TEST_F(TilerOomTest, TheEventIsRaisedAgainWhenTheGroupComesBack) {
  auto group = gpu.create_group(vm, 1);
  ASSERT_TRUE(gpu.place(group, 0));
  const uint64_t seqno = gpu.submit(group, 0, draw(30'000));
  ASSERT_TRUE(wait_oom());
  ASSERT_TRUE(gpu.evict(group));
  auto other = gpu.create_group(vm, 1);
  ASSERT_TRUE(gpu.place(other, 0));
  gpu.pass(ms);
  EXPECT_FALSE(wait_oom(0)) << "an event of the group that left must not reach the next one";
  ASSERT_TRUE(gpu.place(group, 1, fw::csg::state_resume));
  ASSERT_TRUE(wait_oom(1));
  while (gpu.done_seqno(group, 0) < seqno && wait_oom(1)) {
    answer(1, new_chunk());
    gpu.pass(ms);
  }
  EXPECT_TRUE(gpu.wait_job(group, 0, seqno));
}

}  // namespace
}  // namespace vgpu::test
