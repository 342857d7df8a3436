// SPDX-License-Identifier: MIT
// Scoreboards, deferred instructions, sync objects, flushes, progress.
#include <gtest/gtest.h>

#include "tests/cs/fake_environment.hpp"

namespace vgpu::cs::test {
namespace {

struct SyncTest : testing::Test, Stream {
  SyncTest() { push({isa::move48(80, data_va), isa::move48(82, 5)}); }
  using Updates = std::vector<FakeEnvironment::Update>;
};

TEST_F(SyncTest, AddAndSet) {
  environment.put<uint64_t>(data_va, 0xffff'ffff);
  environment.put<uint32_t>(data_va + 16, 0xffff'ffff);
  push({isa::sync_add64(80, 82), isa::move48(84, data_va + 16), isa::sync_add32(84, 82),
        isa::move48(84, data_va + 32), isa::sync_set32(84, 82), isa::move48(84, data_va + 48),
        isa::sync_set64(84, 82)});
  environment.put<uint64_t>(data_va + 32, ~uint64_t{0});
  environment.put<uint64_t>(data_va + 48, ~uint64_t{0});
  EXPECT_TRUE(drained());
  EXPECT_EQ(environment.get<uint64_t>(data_va), 0x1'0000'0004u);
  EXPECT_EQ(environment.get<uint64_t>(data_va + 16), 4u) << "32 bits wrap, the neighbour stays";
  EXPECT_EQ(environment.get<uint64_t>(data_va + 32), 0xffff'ffff'0000'0005u);
  EXPECT_EQ(environment.get<uint64_t>(data_va + 48), 5u);
}

TEST_F(SyncTest, ScopeIsPassedOn) {
  push({isa::sync_add32(80, 82, isa::Scope::csg), isa::sync_add64(80, 82, isa::Scope::system)});
  EXPECT_TRUE(drained());
  EXPECT_EQ(environment.updates, (Updates{{data_va, SyncScope::csg}, {data_va, SyncScope::system}}));
}

TEST_F(SyncTest, ErrorsPropagateOnlyWhenAsked) {
  context.error_status = 0x48;
  push({isa::sync_add64(80, 82), isa::move48(84, data_va + 32),
        isa::sync_add64(84, 82, isa::Scope::system, true), isa::move48(84, data_va + 64),
        isa::sync_set32(84, 82, isa::Scope::system, true), isa::error_barrier(),
        isa::move48(84, data_va + 96), isa::sync_set32(84, 82, isa::Scope::system, true)});
  environment.put<uint32_t>(data_va + 100, 0xdead);
  EXPECT_TRUE(drained());
  EXPECT_EQ(environment.get<uint32_t>(data_va + 8), 0u);
  EXPECT_EQ(environment.get<uint32_t>(data_va + 32 + 8), 1u);
  EXPECT_EQ(environment.get<uint32_t>(data_va + 64 + 4), 1u);
  EXPECT_EQ(environment.get<uint32_t>(data_va + 96 + 4), 0u) << "no fault is written as 0";
}

TEST_F(SyncTest, StalledUpdateHappensOnce) {
  environment.stalled = {data_va};
  push({isa::sync_add32(80, 82)});
  for (int i = 0; i < 3; ++i) EXPECT_EQ(run().state, RunState::blocked);
  EXPECT_TRUE(environment.updates.empty());
  environment.stalled.clear();
  EXPECT_TRUE(drained());
  EXPECT_EQ(environment.get<uint32_t>(data_va), 5u);
  EXPECT_EQ(environment.updates.size(), 1u);
}

TEST_F(SyncTest, MisalignedObjectIsABusFault) {
  push({isa::move48(80, data_va + 4), isa::sync_add64(80, 82)});
  EXPECT_TRUE(drained());
  EXPECT_EQ(exception(), 0x48u);
}

struct WaitCase {
  isa::Condition condition;
  uint64_t value;
  bool passes;
};
class SyncWait : public testing::TestWithParam<WaitCase>, public Stream {};

TEST_P(SyncWait, ComparesUnsigned) {
  const auto& [condition, value, passes] = GetParam();
  for (const bool wide : {false, true}) {
    context = {};
    ring.insert = 0;
    environment.put<uint64_t>(data_va, value);
    environment.put<uint64_t>(data_va + 8, 0);
    if (!wide) environment.put<uint32_t>(data_va + 4, 0);
    push({isa::move48(80, data_va), isa::move48(82, 5),
          wide ? isa::sync_wait64(condition, 80, 82) : isa::sync_wait32(condition, 80, 82)});
    EXPECT_EQ(run().state, passes ? RunState::empty : RunState::blocked);
    if (passes) continue;
    EXPECT_EQ(context.blocked, Blocked::sync);
    EXPECT_EQ(context.wait_va, data_va);
    EXPECT_EQ(context.wait_reference, 5u);
    EXPECT_EQ(context.wait_is_64, wide);
    EXPECT_EQ(context.wait_condition, static_cast<uint32_t>(condition));
    EXPECT_FALSE(interpreter.sync_satisfied(context));
    environment.put<uint32_t>(data_va, condition == isa::Condition::greater ? 6 : 5);
    EXPECT_TRUE(interpreter.sync_satisfied(context));
    EXPECT_TRUE(drained());
  }
}
INSTANTIATE_TEST_SUITE_P(All, SyncWait,
                         testing::Values(WaitCase{isa::Condition::greater, 4, false},
                                         WaitCase{isa::Condition::greater, 5, false},
                                         WaitCase{isa::Condition::greater, 6, true},
                                         WaitCase{isa::Condition::less_equal, 4, true},
                                         WaitCase{isa::Condition::less_equal, 5, true},
                                         WaitCase{isa::Condition::less_equal, 6, false},
                                         WaitCase{isa::Condition::greater, 0xffff'ffff, true}));

TEST_F(SyncTest, WaitUsesAll64Bits) {
  environment.put<uint64_t>(data_va, 0x1'0000'0000);
  push({isa::sync_wait64(isa::Condition::greater, 80, 82)});
  EXPECT_TRUE(drained());
}

TEST_F(SyncTest, WaitInheritsAnErrorUnlessItRejectsIt) {
  environment.put<uint64_t>(data_va, 9);
  environment.put<uint32_t>(data_va + 8, 1);
  push({isa::sync_wait64(isa::Condition::greater, 80, 82, true)});
  EXPECT_TRUE(drained());
  EXPECT_EQ(exception(), 0u);
  push({isa::sync_wait64(isa::Condition::greater, 80, 82)});
  EXPECT_TRUE(drained());
  EXPECT_EQ(exception(), 0x4bu);
  EXPECT_FALSE(last.fatal);
}

TEST_F(SyncTest, AbortedWaitCountsAsSatisfiedAndFaults) {
  push({isa::sync_wait64(isa::Condition::greater, 80, 82), isa::nop()});
  EXPECT_EQ(run().state, RunState::blocked);
  environment.aborted = {data_va};
  EXPECT_TRUE(interpreter.sync_satisfied(context));
  EXPECT_TRUE(drained());
  EXPECT_EQ(exception(), 0x48u);
}

// --- scoreboards

TEST_F(SyncTest, WaitWaitsForItsEntriesOnly) {
  push({isa::set_sb_entry(2, 0), isa::run_compute({}, 1), isa::set_sb_entry(3, 0), isa::run_compute({}, 1),
        isa::wait(1 << 3), isa::move32(1, 1), isa::wait(1 << 2), isa::move32(2, 2)});
  EXPECT_EQ(run().state, RunState::blocked);
  EXPECT_EQ(context.blocked, Blocked::scoreboard);
  EXPECT_EQ(context.wait_scoreboards, 1u << 3);
  EXPECT_EQ(context.scoreboard[2], 1u);
  interpreter.job_done(context, 2, std::nullopt);
  EXPECT_EQ(run().state, RunState::blocked);
  EXPECT_EQ(context.reg[1], 0u);
  interpreter.job_done(context, 3, std::nullopt);
  EXPECT_TRUE(drained());
  EXPECT_EQ(context.reg[2], 2u);
}

TEST_F(SyncTest, AnEntryCountsEveryOperation) {
  push({isa::run_compute({}, 1), isa::run_compute({}, 1), isa::wait(1)});
  EXPECT_EQ(run().state, RunState::blocked);
  end_job();
  EXPECT_EQ(run().state, RunState::blocked);
  end_job();
  EXPECT_TRUE(drained());
}

TEST_F(SyncTest, DeferredUpdateRunsWhenItsMaskIsClear) {
  push({isa::run_compute({}, 1), isa::sync_add64(80, 82, isa::Scope::csg, false, {.wait = 1, .signal = 4}),
        isa::move48(82, 0x77)});
  EXPECT_TRUE(drained()) << "the stream goes on";
  EXPECT_EQ(environment.get<uint64_t>(data_va), 0u);
  EXPECT_EQ(context.scoreboard[4], 1u);
  end_job();
  EXPECT_EQ(environment.get<uint64_t>(data_va), 5u) << "operands are those of issue";
  EXPECT_EQ(context.scoreboard[4], 0u);
  EXPECT_EQ(environment.updates, (Updates{{data_va, SyncScope::csg}}));
}

TEST_F(SyncTest, DeferredChainsKeepTheirOrder) {
  push({isa::run_compute({}, 1),
        isa::flush_cache2(isa::FlushMode::clean, isa::FlushMode::clean, isa::OtherFlushMode::none, 82,
                          {.wait = 1, .signal = 1}),
        isa::sync_set32(80, 82, isa::Scope::system, false, {.wait = 2, .signal = 2}), isa::wait(1 << 2)});
  EXPECT_EQ(run().state, RunState::blocked);
  EXPECT_TRUE(environment.flushes.empty());
  end_job();
  ASSERT_EQ(environment.flushes.size(), 1u);
  EXPECT_EQ(environment.flushes[0].id, 5u);
  EXPECT_TRUE(environment.updates.empty()) << "the flush has not ended";
  EXPECT_EQ(run().state, RunState::blocked);
  end_flush();
  EXPECT_EQ(environment.updates.size(), 1u);
  EXPECT_TRUE(drained());
}

TEST_F(SyncTest, DeferredUpdateThatStallsIsRetriedOnce) {
  environment.stalled = {data_va};
  push({isa::run_compute({}, 1),
        isa::sync_add32(80, 82, isa::Scope::system, false, {.wait = 1, .signal = 2})});
  EXPECT_TRUE(drained());
  end_job();
  EXPECT_EQ(context.deferred_stalled, 1u);
  EXPECT_EQ(run().state, RunState::blocked);
  EXPECT_EQ(context.blocked, Blocked::memory);
  environment.stalled.clear();
  EXPECT_TRUE(drained());
  EXPECT_EQ(environment.get<uint32_t>(data_va), 5u);
  EXPECT_TRUE(drained());
  EXPECT_EQ(environment.get<uint32_t>(data_va), 5u);
  EXPECT_EQ(context.scoreboard[2], 0u);
}

TEST_F(SyncTest, AbortedDeferredUpdateFaultsAndSignals) {
  environment.aborted = {data_va};
  push({isa::run_compute({}, 1), isa::sync_add32(80, 82, isa::Scope::system, false, {.wait = 1, .signal = 2}),
        isa::wait(4)});
  EXPECT_EQ(run().state, RunState::blocked);
  end_job();
  EXPECT_EQ(exception(), 0x48u);
  EXPECT_TRUE(drained());
}

TEST_F(SyncTest, AFullDeferredQueueBlocks) {
  push({isa::run_compute({}, 1)});
  for (unsigned i = 0; i < deferred_capacity + 1; ++i)
    push({isa::sync_add32(80, 82, isa::Scope::system, false, {.wait = 1, .signal = 2})});
  EXPECT_EQ(run().state, RunState::blocked);
  EXPECT_EQ(context.blocked, Blocked::deferred);
  end_job();
  EXPECT_TRUE(drained());
  EXPECT_EQ(environment.get<uint32_t>(data_va), 5 * (deferred_capacity + 1));
}

// --- flushes

TEST_F(SyncTest, FlushSignalsItsEntryWhenDone) {
  push({isa::flush_cache2(isa::FlushMode::clean_invalidate, isa::FlushMode::clean_invalidate,
                          isa::OtherFlushMode::invalidate, 82, {.wait = 0, .signal = 3}),
        isa::wait(8)});
  EXPECT_EQ(run().state, RunState::blocked);
  EXPECT_EQ(context.scoreboard[3], 1u);
  end_flush();
  EXPECT_TRUE(drained());
}

TEST_F(SyncTest, AFlushThatIsCoveredCompletesAtOnceIdZeroNever) {
  environment.flush_needed = false;
  const auto flush =
      isa::flush_cache2(isa::FlushMode::clean, isa::FlushMode::none, isa::OtherFlushMode::none, 82);
  push({flush, isa::wait(1), isa::move32(82, 0), flush, isa::wait(1)});
  EXPECT_EQ(run().state, RunState::blocked);
  ASSERT_EQ(environment.flushes.size(), 1u);
  EXPECT_EQ(environment.flushes[0].id, 0u);
}

TEST_F(SyncTest, AFlushOfNothingAsksForNothing) {
  push({isa::flush_cache2(isa::FlushMode::none, isa::FlushMode::none, isa::OtherFlushMode::none, 82),
        isa::wait(1)});
  EXPECT_TRUE(drained());
  EXPECT_TRUE(environment.flushes.empty());
}

// --- progress

TEST_F(SyncTest, ProgressCounter) {
  push({isa::progress_store(82), isa::wait(0, true), isa::progress_load(84)});
  EXPECT_TRUE(drained());
  EXPECT_EQ(context.progress, 6u);
  EXPECT_EQ(context.reg[84], 6u);
  EXPECT_EQ(environment.progress_reports, 2u);
}

TEST_F(SyncTest, JobsCountProgressWhenTheyEnd) {
  push({isa::run_compute({}, 1, {}, true), isa::run_compute({}, 1)});
  EXPECT_TRUE(drained());
  EXPECT_EQ(context.progress, 0u);
  end_job();
  end_job();
  EXPECT_EQ(context.progress, 1u);
}

TEST_F(SyncTest, ProgressWaitLooksAtAnotherQueue) {
  push({isa::progress_wait(3, 82)});
  EXPECT_EQ(run().state, RunState::blocked);
  EXPECT_EQ(context.blocked, Blocked::progress);
  environment.progress_of_queue[3] = 4;
  EXPECT_FALSE(interpreter.progress_satisfied(context));
  environment.progress_of_queue[3] = 5;
  EXPECT_TRUE(interpreter.progress_satisfied(context));
  EXPECT_TRUE(drained());
}

}  // namespace
}  // namespace vgpu::cs::test
