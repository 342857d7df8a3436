// SPDX-License-Identifier: MIT
// Branches, calls, jumps, the exception handler, and streams that repeat themselves.
#include <gtest/gtest.h>

#include "tests/cs/fake_environment.hpp"

namespace vgpu::cs::test {
namespace {

struct FlowTest : testing::Test, Stream {};

struct BranchCase {
  isa::Condition condition;
  bool negative, zero, positive;
};
class BranchCondition : public testing::TestWithParam<BranchCase>, public Stream {
 public:
  bool taken(uint32_t value) {
    context = {};
    ring.insert = 0;
    load({isa::move32(1, value), isa::branch(GetParam().condition, 1, 1), isa::move32(2, 1), isa::nop()});
    EXPECT_TRUE(drained());
    return context.reg[2] == 0;
  }
};

TEST_P(BranchCondition, ComparesSignedWithZero) {
  EXPECT_EQ(taken(0xffff'ffff), GetParam().negative);
  EXPECT_EQ(taken(0x8000'0000), GetParam().negative);
  EXPECT_EQ(taken(0), GetParam().zero);
  EXPECT_EQ(taken(1), GetParam().positive);
  EXPECT_EQ(taken(0x7fff'ffff), GetParam().positive);
}

INSTANTIATE_TEST_SUITE_P(All, BranchCondition,
                         testing::Values(BranchCase{isa::Condition::less_equal, true, true, false},
                                         BranchCase{isa::Condition::greater, false, false, true},
                                         BranchCase{isa::Condition::equal, false, true, false},
                                         BranchCase{isa::Condition::not_equal, true, false, true},
                                         BranchCase{isa::Condition::less, true, false, false},
                                         BranchCase{isa::Condition::greater_equal, false, true, true},
                                         BranchCase{isa::Condition::always, true, true, true}));

TEST_F(FlowTest, BackwardBranchLoops) {
  load({isa::move32(1, 5), isa::add_imm32(2, 2, 1), isa::add_imm32(1, 1, -1),
        isa::branch(isa::Condition::greater, 1, -3)});
  EXPECT_TRUE(drained());
  EXPECT_EQ(context.reg[2], 5u);
}

TEST_F(FlowTest, TakenBranchInTheRingIsFatalAnUntakenOneIsNot) {
  push({isa::branch(isa::Condition::not_equal, 1, 1), isa::branch(isa::Condition::equal, 1, 1)});
  EXPECT_EQ(run().state, RunState::fatal);
  EXPECT_EQ(exception(), 0x49u);
  EXPECT_EQ(context.extract, 8u);
}

TEST_F(FlowTest, CallsNestAndReturn) {
  write(other_va, std::vector{isa::move32(3, 3)});
  load({isa::move48(60, other_va), isa::move32(62, 8), isa::call(60, 62), isa::move32(4, 4)});
  push({isa::move32(5, 5)});
  EXPECT_TRUE(drained());
  EXPECT_EQ(context.reg[3], 3u);
  EXPECT_EQ(context.reg[4], 4u);
  EXPECT_EQ(context.reg[5], 5u);
  EXPECT_EQ(context.depth, 0u);
}

TEST_F(FlowTest, EmptyCallReturnsAtOnce) {
  push({isa::move48(60, other_va), isa::move32(62, 0), isa::call(60, 62), isa::move32(1, 1)});
  EXPECT_TRUE(drained());
  EXPECT_EQ(context.reg[1], 1u);
}

TEST_F(FlowTest, EightCallsFitTheNinthOverflows) {
  // The buffer calls itself until r1 is 0.
  const auto recurse = [&](uint32_t times) {
    context = {};
    ring.insert = 0;
    push({isa::move48(60, code_va), isa::move32(62, 24), isa::move32(1, times)});
    write(code_va, std::vector{isa::add_imm32(1, 1, -1), isa::branch(isa::Condition::less_equal, 1, 1),
                               isa::call(60, 62)});
    push({isa::call(60, 62)});
    return run().state;
  };
  EXPECT_EQ(recurse(8), RunState::empty);
  EXPECT_EQ(exception(), 0u);
  EXPECT_EQ(recurse(9), RunState::fatal);
  EXPECT_EQ(exception(), 0x4au);
  EXPECT_TRUE(last.fatal);
  EXPECT_EQ(last.info, code_va);
  EXPECT_EQ(context.depth, 8u);
}

TEST_F(FlowTest, LengthAndAddressMustBeWholeInstructions) {
  push({isa::move48(60, code_va), isa::move32(62, 12), isa::call(60, 62)});
  EXPECT_EQ(run().state, RunState::fatal);
  EXPECT_EQ(exception(), 0x49u);
  context = {};
  ring.insert = 0;
  push({isa::move48(60, code_va + 4), isa::move32(62, 8), isa::call(60, 62)});
  EXPECT_EQ(run().state, RunState::fatal);
}

TEST_F(FlowTest, JumpReplacesTheBuffer) {
  write(other_va, std::vector{isa::move32(3, 3)});
  load({isa::move48(60, other_va), isa::move32(62, 8), isa::jump(60, 62), isa::move32(4, 4)});
  push({isa::move32(5, 5)});
  EXPECT_TRUE(drained());
  EXPECT_EQ(context.reg[3], 3u);
  EXPECT_EQ(context.reg[4], 0u) << "not returned to";
  EXPECT_EQ(context.reg[5], 5u);
}

TEST_F(FlowTest, JumpInTheRingIsFatal) {
  push({isa::move48(60, code_va), isa::move32(62, 8), isa::jump(60, 62)});
  EXPECT_EQ(run().state, RunState::fatal);
  EXPECT_EQ(exception(), 0x49u);
}

TEST_F(FlowTest, RingWrapsAround) {
  for (uint32_t i = 0; i < ring_size / 8 + 3; ++i) {
    push({isa::move32(1, i)});
    EXPECT_TRUE(drained());
    EXPECT_EQ(context.reg[1], i);
  }
  EXPECT_EQ(context.extract, ring_size + 24u);
  EXPECT_EQ(Interpreter::command_pointer(context, ring), ring_va + 24);
}

TEST_F(FlowTest, CommandPointerIsInsideTheCalledBuffer) {
  load({isa::nop(), isa::nop()});
  EXPECT_EQ(run(4).state, RunState::more);
  EXPECT_EQ(Interpreter::command_pointer(context, ring), code_va + 8);
}

TEST_F(FlowTest, ExceptionHandlerRunsInsteadOfTheBlockedInstruction) {
  write(other_va, std::vector{isa::move32(7, 7)});
  push({isa::move48(60, other_va), isa::move32(62, 8),
        isa::set_exception_handler(isa::ExceptionType::tiler_oom, 60, 62), isa::run_idvs(0), isa::wait(1),
        isa::move32(8, 8)});
  EXPECT_FALSE(interpreter.enter_exception_handler(context)) << "none is set yet";
  EXPECT_EQ(run().state, RunState::blocked);
  ASSERT_TRUE(interpreter.enter_exception_handler(context));
  EXPECT_TRUE(Interpreter::in_exception_handler(context));
  EXPECT_FALSE(interpreter.enter_exception_handler(context)) << "it runs already";
  EXPECT_EQ(run().state, RunState::blocked) << "back at the WAIT";
  EXPECT_FALSE(Interpreter::in_exception_handler(context));
  EXPECT_EQ(context.reg[7], 7u);
  end_job();
  EXPECT_TRUE(drained());
  EXPECT_EQ(context.reg[8], 8u);
}

// --- spinning

TEST_F(FlowTest, AnUnchangingLoopSpins) {
  load({isa::nop(), isa::branch(isa::Condition::always, 0, -2)});
  const RunResult result = run(1'000'000);
  EXPECT_EQ(result.state, RunState::spinning);
  EXPECT_LT(result.executed, 100u);
  EXPECT_EQ(run(1'000'000).state, RunState::spinning);
}

TEST_F(FlowTest, ALongCycleIsFound) {
  // r1 counts 5, 4 … 0 and starts over: the state repeats every 6 rounds.
  load({isa::add_imm32(1, 1, -1), isa::branch(isa::Condition::greater_equal, 1, 1), isa::move32(1, 5),
        isa::branch(isa::Condition::always, 0, -4)});
  EXPECT_EQ(run(1'000'000).state, RunState::spinning);
}

TEST_F(FlowTest, ACountingLoopDoesNotSpin) {
  load({isa::add_imm32(95, 95, 1), isa::branch(isa::Condition::always, 0, -2)});
  const RunResult result = run(100'000);
  EXPECT_EQ(result.state, RunState::more);
  EXPECT_EQ(result.executed, 100'000u);
}

TEST_F(FlowTest, APollingLoopSpinsUntilMemoryChanges) {
  load({isa::move48(80, data_va), isa::load_multiple(1, 1, 80), isa::branch(isa::Condition::equal, 1, -2)});
  EXPECT_EQ(run().state, RunState::spinning);
  environment.put<uint32_t>(data_va, 1);
  EXPECT_TRUE(drained());
}

TEST_F(FlowTest, ALoopWithSideEffectsDoesNotSpin) {
  const uint64_t effects[] = {
      isa::store_multiple(1, 1, 80), isa::sync_set32(80, 1),
      isa::run_compute({}, 1),       isa::store_state(isa::State::timestamp, 80),
      isa::trace_point(0, 1),        isa::heap_operation(isa::HeapOp::vertex_tiler_started)};
  for (const uint64_t effect : effects) {
    context = {};
    ring.insert = 0;
    load({isa::move48(80, data_va), effect, isa::branch(isa::Condition::always, 0, -2)});
    EXPECT_EQ(run(5'000).state, RunState::more) << effect;
  }
}

TEST_F(FlowTest, AJumpLoopSpins) {
  load({isa::move48(60, code_va), isa::move32(62, 24), isa::jump(60, 62)});
  EXPECT_EQ(run(1'000'000).state, RunState::spinning);
}

}  // namespace
}  // namespace vgpu::cs::test
