// SPDX-License-Identifier: MIT
// Jobs and their errors, resources, the tiler heap, state stores, trace points.
#include <gtest/gtest.h>

#include "tests/cs/fake_environment.hpp"

namespace vgpu::cs::test {
namespace {

struct JobsTest : testing::Test, Stream {
  JobsTest() { push({isa::move48(80, data_va), isa::move48(82, 5)}); }
};

TEST_F(JobsTest, EveryJobGoesToItsEndpoint) {
  push({isa::set_sb_entry(5, 1), isa::run_compute({}, 1), isa::run_compute_indirect(1), isa::run_tiling(0),
        isa::run_idvs(0), isa::run_fullscreen(0, 80), isa::finish_tiling(), isa::run_fragment()});
  EXPECT_TRUE(drained());
  const Endpoint expected[] = {Endpoint::compute, Endpoint::compute, Endpoint::tiler,   Endpoint::tiler,
                               Endpoint::tiler,   Endpoint::tiler,   Endpoint::fragment};
  ASSERT_EQ(environment.jobs.size(), std::size(expected));
  for (size_t i = 0; i < std::size(expected); ++i) {
    EXPECT_EQ(environment.jobs[i].endpoint, expected[i]);
    EXPECT_EQ(environment.jobs[i].scoreboard, 5u);
  }
  EXPECT_EQ(context.scoreboard[5], 7u);
}

TEST_F(JobsTest, ARefusedJobBlocksAndStartsOnce) {
  environment.grant_jobs = false;
  push({isa::run_compute({}, 1)});
  EXPECT_EQ(run().state, RunState::blocked);
  EXPECT_EQ(context.blocked, Blocked::resource);
  EXPECT_EQ(context.scoreboard[0], 0u);
  environment.grant_jobs = true;
  EXPECT_TRUE(drained());
  EXPECT_EQ(environment.jobs.size(), 1u);
}

TEST_F(JobsTest, AJobMayEndInsideStart) {
  environment.ends_at_once = &interpreter;
  environment.context = &context;
  push({isa::run_compute({}, 1, {}, true), isa::wait(1)});
  EXPECT_TRUE(drained());
  EXPECT_EQ(context.progress, 1u);
}

TEST_F(JobsTest, AfterAFaultJobsAreSkippedUntilTheBarrier) {
  push({isa::run_compute({}, 1), isa::wait(1), isa::run_fragment(),
        isa::sync_add64(80, 82, isa::Scope::system, true), isa::error_barrier(), isa::run_compute({}, 1)});
  EXPECT_EQ(run().state, RunState::blocked);
  end_job(Exception{0x58, data_va, false});
  EXPECT_TRUE(drained());
  EXPECT_EQ(exception(), 0x58u);
  ASSERT_EQ(environment.jobs.size(), 1u);
  EXPECT_EQ(environment.jobs[0].endpoint, Endpoint::compute) << "the fragment job was skipped";
  EXPECT_EQ(environment.get<uint32_t>(data_va + 8), 1u) << "the error reached the sync object";
}

TEST_F(JobsTest, OnlyTheFirstFaultBeforeABarrierIsReported) {
  push({isa::run_compute({}, 1), isa::run_compute({}, 1), isa::wait(1)});
  EXPECT_EQ(run().state, RunState::blocked);
  end_job(Exception{0x58, 1, false});
  end_job(Exception{0x5a, 2, false});
  EXPECT_EQ(exception(), 0x58u);
  EXPECT_EQ(exception(), 0u);
}

TEST_F(JobsTest, AFatalJobKillsTheStream) {
  push({isa::run_compute({}, 1), isa::wait(1)});
  EXPECT_EQ(run().state, RunState::blocked);
  end_job(Exception{0x44, 0, true});
  EXPECT_EQ(run().state, RunState::fatal);
  EXPECT_EQ(exception(), 0x44u);
}

TEST_F(JobsTest, ResourcesBlockUntilGranted) {
  environment.grant_resources = false;
  push({isa::req_resource(isa::resource_compute | isa::resource_tiler)});
  EXPECT_EQ(run().state, RunState::blocked);
  EXPECT_EQ(context.blocked, Blocked::resource);
  EXPECT_EQ(environment.requested, 5u);
  environment.grant_resources = true;
  EXPECT_TRUE(drained());
  EXPECT_EQ(context.granted_resources, 5u);
}

TEST_F(JobsTest, ProtectedRegionsWaitForProtectedMode) {
  push({isa::prot_region(4)});
  EXPECT_EQ(run().state, RunState::blocked);
  EXPECT_EQ(context.wait_protected, 1u);
  environment.grant_protected = true;
  EXPECT_TRUE(drained());
  EXPECT_EQ(context.wait_protected, 0u);
}

TEST_F(JobsTest, HeapInstructions) {
  push({isa::heap_set(80), isa::heap_operation(isa::HeapOp::vertex_tiler_started),
        isa::heap_operation(isa::HeapOp::vertex_tiler_completed), isa::move48(84, 0xaaa000),
        isa::move48(86, 0xbbb000), isa::finish_fragment(84, 86)});
  EXPECT_TRUE(drained());
  EXPECT_EQ(context.heap_va, data_va);
  EXPECT_EQ(environment.heaps, std::vector<uint64_t>{data_va});
  EXPECT_EQ(environment.heap_operations,
            (std::vector{HeapOperation::vertex_tiler_started, HeapOperation::vertex_tiler_completed,
                         HeapOperation::fragment_completed}));
  EXPECT_EQ(environment.freed, (std::vector<std::pair<uint64_t, uint64_t>>{{0xaaa000, 0xbbb000}}));
}

TEST_F(JobsTest, DeferredFinishFragmentWaitsForTheFragmentJob) {
  push({isa::move48(84, 0xaaa000), isa::move48(86, 0xbbb000), isa::run_fragment(),
        isa::finish_fragment(84, 86, true, {.wait = 1, .signal = 1})});
  EXPECT_TRUE(drained());
  EXPECT_TRUE(environment.freed.empty());
  end_job();
  EXPECT_EQ(environment.freed.size(), 1u);
  EXPECT_EQ(environment.heap_operations, std::vector{HeapOperation::fragment_completed});
}

TEST_F(JobsTest, StateStores) {
  context.error_status = 0x5a;
  push({isa::store_state(isa::State::timestamp, 80), isa::store_state(isa::State::cycle_count, 80, 8),
        isa::store_state(isa::State::disjoint_count, 80, 16),
        isa::store_state(isa::State::error_status, 80, 24), isa::store_state(isa::State::timestamp, 80, -8)});
  EXPECT_TRUE(drained());
  EXPECT_EQ(environment.get<uint64_t>(data_va), 101u);
  EXPECT_EQ(environment.get<uint64_t>(data_va + 8), 0x1000u + 102);
  EXPECT_EQ(environment.get<uint64_t>(data_va + 16), 7u);
  EXPECT_EQ(environment.get<uint64_t>(data_va + 24), 0x5au);
  EXPECT_EQ(environment.get<uint64_t>(data_va - 8), 103u);
}

TEST_F(JobsTest, ADeferredTimestampIsTakenWhenItsTurnComes) {
  push({isa::run_compute({}, 1), isa::store_state(isa::State::timestamp, 80, 0, {.wait = 1, .signal = 1})});
  EXPECT_TRUE(drained());
  environment.ticks = 500;
  end_job();
  EXPECT_EQ(environment.get<uint64_t>(data_va), 501u);
}

TEST_F(JobsTest, TracePointsShowRegisters) {
  push({isa::move32(1, 11), isa::move32(2, 22), isa::trace_point(1, 2)});
  EXPECT_TRUE(drained());
  EXPECT_EQ(environment.traces, (std::vector<std::vector<uint32_t>>{{11, 22}}));
}

}  // namespace
}  // namespace vgpu::cs::test
