// SPDX-License-Identifier: MIT
// Moves, arithmetic, memory, and what is illegal.
#include <gtest/gtest.h>

#include "tests/cs/fake_environment.hpp"

namespace vgpu::cs::test {
namespace {

struct BasicTest : testing::Test, Stream {};

TEST_F(BasicTest, MovesAndArithmetic) {
  push({isa::move48(0, 0xabcd'1234'5678), isa::move32(2, 0xffff'ffff), isa::add_imm32(3, 2, 2),
        isa::move48(4, 0xffff'ffff), isa::add_imm64(6, 4, -1), isa::add_imm64(8, 4, 1), isa::move32(10, 7),
        isa::umin32(11, 2, 10), isa::nop()});
  EXPECT_TRUE(drained());
  EXPECT_EQ(context.reg[0], 0x1234'5678u);
  EXPECT_EQ(context.reg[1], 0xabcdu);
  EXPECT_EQ(context.reg[3], 1u);
  EXPECT_EQ(context.reg[6], 0xffff'fffeu);
  EXPECT_EQ(context.reg[7], 0u);
  EXPECT_EQ(context.reg[8], 0u);
  EXPECT_EQ(context.reg[9], 1u) << "64-bit addition carries";
  EXPECT_EQ(context.reg[11], 7u) << "UMIN32 is unsigned";
  EXPECT_EQ(context.extract, ring.insert);
}

TEST_F(BasicTest, NopIgnoresItsOperandBits) {
  push({isa::nop() | 0x00ff'ffff'ffff'ffff});
  EXPECT_TRUE(drained());
}

TEST_F(BasicTest, LoadAndStoreMultipleHonourMaskAndOffset) {
  for (uint32_t i = 0; i < 4; ++i) environment.put<uint32_t>(data_va + 4 * i, 0x100 + i);
  push({isa::move48(80, data_va + 16), isa::load_multiple(8, 0b1010, 80, -16),
        isa::store_multiple(8, 0b1010, 80, 16)});
  EXPECT_TRUE(drained());
  EXPECT_EQ(context.reg[8], 0u);
  EXPECT_EQ(context.reg[9], 0x101u);
  EXPECT_EQ(context.reg[11], 0x103u);
  EXPECT_EQ(environment.get<uint32_t>(data_va + 32), 0u);
  EXPECT_EQ(environment.get<uint32_t>(data_va + 36), 0x101u);
  EXPECT_EQ(environment.get<uint32_t>(data_va + 44), 0x103u);
}

TEST_F(BasicTest, StalledStoreHappensOnceAndWhole) {
  const uint64_t at = data_va + 0x1000 - 8;  // two words before a page boundary, two behind it
  for (unsigned i = 0; i < 4; ++i) context.reg[i] = 0x50 + i;
  push({isa::move48(80, at), isa::store_multiple(0, 0xf, 80)});
  environment.stalled = {data_va + 0x1000};
  EXPECT_EQ(run().state, RunState::blocked);
  EXPECT_EQ(context.blocked, Blocked::memory);
  EXPECT_EQ(environment.get<uint32_t>(at), 0u) << "nothing is half done";
  EXPECT_EQ(context.extract, 8u) << "still at the store";
  environment.stalled.clear();
  EXPECT_TRUE(drained());
  for (unsigned i = 0; i < 4; ++i) EXPECT_EQ(environment.get<uint32_t>(at + 4 * i), 0x50 + i);
  EXPECT_EQ(exception(), 0u);
}

TEST_F(BasicTest, StalledLoadChangesNoRegister) {
  const uint64_t at = data_va + 0x1000 - 4;
  environment.put<uint64_t>(at, 0x2222'2222'1111'1111);
  push({isa::move48(80, at), isa::load_multiple(0, 3, 80)});
  environment.stalled = {data_va + 0x1000};
  EXPECT_EQ(run().state, RunState::blocked);
  EXPECT_EQ(context.reg[0], 0u);
  environment.stalled.clear();
  EXPECT_TRUE(drained());
  EXPECT_EQ(context.reg[0], 0x1111'1111u);
  EXPECT_EQ(context.reg[1], 0x2222'2222u);
}

TEST_F(BasicTest, AbortedAccessIsACsFaultAndTheStreamGoesOn) {
  environment.aborted = {data_va};
  push({isa::move48(80, data_va), isa::load_multiple(0, 1, 80), isa::move32(5, 1)});
  EXPECT_TRUE(drained());
  EXPECT_EQ(exception(), 0x48u);
  EXPECT_FALSE(last.fatal);
  EXPECT_EQ(last.info, data_va);
  EXPECT_EQ(context.reg[5], 1u);
  EXPECT_NE(context.error_status, 0u);
}

TEST_F(BasicTest, MisalignedAccessIsABusFault) {
  push({isa::move48(80, data_va + 2), isa::store_multiple(0, 1, 80)});
  EXPECT_TRUE(drained());
  EXPECT_EQ(exception(), 0x48u);
}

TEST_F(BasicTest, FetchIsAReadThatStallsOrKills) {
  load({isa::move32(1, 1)});
  environment.stalled = {code_va};
  EXPECT_EQ(run().state, RunState::blocked);
  EXPECT_EQ(context.blocked, Blocked::memory);
  environment.stalled.clear();
  environment.aborted = {code_va};
  EXPECT_EQ(run().state, RunState::fatal);
  EXPECT_EQ(exception(), 0x48u);
  EXPECT_TRUE(last.fatal);
  EXPECT_EQ(last.info, code_va);
  EXPECT_EQ(run().state, RunState::fatal) << "dead until it is stopped";
}

TEST_F(BasicTest, AFetchWindowDoesNotOutliveTheSlice) {
  load({isa::nop(), isa::nop(), isa::nop()});
  EXPECT_EQ(run(4).state, RunState::more);  // one NOP into the buffer
  environment.aborted = {code_va};
  EXPECT_EQ(run().state, RunState::fatal);
}

class IllegalWord : public testing::TestWithParam<uint64_t>, public Stream {};

TEST_P(IllegalWord, IsFatal) {
  push({isa::nop(), GetParam(), isa::nop()});
  const RunResult result = run();
  EXPECT_EQ(result.state, RunState::fatal);
  EXPECT_EQ(result.executed, 1u);
  EXPECT_EQ(exception(), 0x49u);
  EXPECT_TRUE(last.fatal);
  EXPECT_EQ(last.info, GetParam());
  EXPECT_EQ(Interpreter::command_pointer(context, ring), ring_va + 8);
}

constexpr uint64_t op(isa::Opcode opcode) {
  return static_cast<uint64_t>(opcode) << 56;
}

INSTANTIATE_TEST_SUITE_P(
    All, IllegalWord,
    testing::Values(op(static_cast<isa::Opcode>(10)), op(static_cast<isa::Opcode>(255)),  // undefined opcodes
                    isa::error_barrier() | 1, isa::wait(1) | 1, isa::run_fragment() | 2,  // reserved bits
                    op(isa::Opcode::move32) | 96ull << 48, op(isa::Opcode::move32) | 255ull << 48,
                    op(isa::Opcode::move48) | 95ull << 48, op(isa::Opcode::add_imm32) | 96ull << 40,
                    op(isa::Opcode::umin32) | 128ull << 32,
                    op(isa::Opcode::load_multiple) | 95ull << 48 | 2ull << 16,  // r95 and r96
                    op(isa::Opcode::branch) | 7ull << 28, op(isa::Opcode::sync_wait32) | 2ull << 28,
                    op(isa::Opcode::heap_operation) | 2ull << 32, op(isa::Opcode::store_state) | 4ull << 32,
                    op(isa::Opcode::flush_cache2) | 2, op(isa::Opcode::flush_cache2) | 8ull << 48 | 1,
                    op(isa::Opcode::set_sb_entry) | 8, isa::wait(0) | 1ull << 24,
                    op(isa::Opcode::sync_add32) | 8ull << 48 | 1ull << 16,
                    op(isa::Opcode::trace_point) | 90ull << 32 | 7ull << 40,
                    op(isa::Opcode::run_compute) | 3ull << 14));

}  // namespace
}  // namespace vgpu::cs::test
