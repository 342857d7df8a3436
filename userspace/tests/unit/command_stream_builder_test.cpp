// SPDX-License-Identifier: MIT
#include "panthor/command_stream_builder.hpp"

#include <gtest/gtest.h>

#include <array>
#include <stdexcept>

namespace panthor {
namespace {

constexpr uint64_t base_va = 0x1000'0000;

class CommandStreamBuilderTest : public ::testing::Test {
 protected:
  std::array<uint64_t, 64> words{};
  CommandStreamBuilder cs{words, base_va};
};

using BuilderTest = CommandStreamBuilderTest;

TEST_F(BuilderTest, EncodesWhatTheKernelEncodes) {
  // The words prepare_job_instrs() of panthor_sched.c writes, with r92:r93 and r94.
  cs.move(Reg{94}, 0x11u);
  cs.flush_caches(isa::FlushMode::clean_invalidate, isa::FlushMode::clean_invalidate,
                  isa::OtherFlushMode::invalidate, Reg{94});
  cs.move(RegPair{92}, 0x123456789abc);
  cs.wait(1);
  cs.emit(isa::call(92, 94));
  cs.sync_add64(RegPair{92}, RegPair{94});
  cs.error_barrier();
  EXPECT_EQ(words[0], 2ull << 56 | 94ull << 48 | 0x11);
  EXPECT_EQ(words[1], 36ull << 56 | 94ull << 40 | 0x233);
  EXPECT_EQ(words[2], 1ull << 56 | 92ull << 48 | 0x123456789abc);
  EXPECT_EQ(words[3], 3ull << 56 | 1ull << 16);
  EXPECT_EQ(words[4], 32ull << 56 | 92ull << 40 | 94ull << 32);
  EXPECT_EQ(words[5], 51ull << 56 | 92ull << 40 | 94ull << 32);
  EXPECT_EQ(words[6], 47ull << 56);
}

TEST_F(BuilderTest, MoveUsesTwoInstructionsBeyond48Bits) {
  cs.move(RegPair{4}, 0x0001'0002'0000'0003);
  EXPECT_EQ(words[0], 2ull << 56 | 4ull << 48 | 3);
  EXPECT_EQ(words[1], 2ull << 56 | 5ull << 48 | 0x00010002);
  EXPECT_EQ(cs.size_bytes(), 16u);
}

TEST_F(BuilderTest, StoreMasksTheRegistersCounted) {
  cs.store(Reg{8}, 16, RegPair{64}, -4);
  EXPECT_EQ(words[0], 21ull << 56 | 8ull << 48 | 64ull << 40 | 0xffffull << 16 | 0xfffc);
}

TEST_F(BuilderTest, BranchBackwardCountsFromTheNextInstruction) {
  const auto top = cs.here();
  cs.branch(top);
  (void)cs.finish();
  EXPECT_EQ(words[0], 22ull << 56 | 6ull << 28 | 0xffff);
}

TEST_F(BuilderTest, BranchForwardIsFixedUpWhenTheLabelIsBound) {
  const auto out = cs.label();
  cs.branch(isa::Condition::equal, Reg{7}, out);
  cs.nop();
  cs.nop();
  cs.bind(out);
  const CommandStream stream = cs.finish();
  EXPECT_EQ(words[0], 22ull << 56 | 7ull << 40 | 2ull << 28 | 2);
  EXPECT_EQ(stream.va, base_va);
  EXPECT_EQ(stream.bytes, 24u);
}

TEST_F(BuilderTest, LoopDecrementsAndBranchesWhileGreaterThanZero) {
  const auto loop = cs.begin_loop(Reg{70}, 5);
  cs.nop();
  cs.end_loop(loop);
  (void)cs.finish();
  EXPECT_EQ(words[0], 2ull << 56 | 70ull << 48 | 5);
  EXPECT_EQ(words[2], 16ull << 56 | 70ull << 48 | 70ull << 40 | 0xffffffff);
  EXPECT_EQ(words[3], 22ull << 56 | 70ull << 40 | 1ull << 28 | 0xfffd);
}

TEST_F(BuilderTest, CallLoadsAddressAndLength) {
  cs.call({0x2000'0040, 24}, RegPair{72}, Reg{74});
  EXPECT_EQ(words[0], 1ull << 56 | 72ull << 48 | 0x2000'0040);
  EXPECT_EQ(words[1], 2ull << 56 | 74ull << 48 | 24);
  EXPECT_EQ(words[2], 32ull << 56 | 72ull << 40 | 74ull << 32);
}

TEST_F(BuilderTest, UnboundLabelIsAnError) {
  cs.branch(cs.label());
  EXPECT_THROW((void)cs.finish(), std::logic_error);
}

TEST_F(BuilderTest, LabelBoundTwiceIsAnError) {
  const auto label = cs.here();
  EXPECT_THROW(cs.bind(label), std::logic_error);
}

TEST_F(BuilderTest, RangesAreChecked) {
  EXPECT_THROW(cs.move(Reg{96}, 0u), std::out_of_range);
  EXPECT_THROW(cs.move(RegPair{95}, 0u), std::out_of_range);
  EXPECT_THROW(cs.store(Reg{90}, 16, RegPair{64}), std::out_of_range);
  EXPECT_THROW(cs.load(Reg{0}, 0, RegPair{64}), std::out_of_range);
  EXPECT_THROW(cs.load(Reg{0}, 17, RegPair{64}), std::out_of_range);
  EXPECT_THROW((void)cs.begin_loop(Reg{70}, 0), std::out_of_range);
  EXPECT_EQ(cs.size_bytes(), 0u);
}

TEST_F(BuilderTest, RegisterLimitCanBeLowerThanTheFile) {
  CommandStreamBuilder limited(words, base_va, 92);
  EXPECT_THROW(limited.move(Reg{92}, 0u), std::out_of_range);
  EXPECT_NO_THROW(limited.move(Reg{91}, 0u));
}

TEST_F(BuilderTest, FullMemoryIsAnError) {
  for (size_t i = 0; i < words.size(); ++i) cs.nop();
  EXPECT_THROW(cs.nop(), std::length_error);
  EXPECT_EQ(cs.next_va(), base_va + sizeof(words));
}

TEST(CommandStreamBuilderDistance, BranchTooFarIsAnError) {
  std::vector<uint64_t> words(40000);
  CommandStreamBuilder cs(words, base_va);
  const auto out = cs.label();
  cs.branch(out);
  for (int i = 0; i < 32768; ++i) cs.nop();
  cs.bind(out);
  EXPECT_THROW((void)cs.finish(), std::out_of_range);
}

}  // namespace
}  // namespace panthor
