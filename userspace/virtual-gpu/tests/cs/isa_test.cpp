// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <random>

#include "panthor/isa/decode.hpp"
#include "panthor/isa/instructions.hpp"

namespace isa = ::panthor::isa;

// What panthor_sched.c's prepare_job_instrs() writes, with its registers r92 (address) and r94 (value).
static_assert(isa::flush_cache2(isa::FlushMode::clean_invalidate, isa::FlushMode::clean_invalidate,
                                isa::OtherFlushMode::invalidate,
                                94) == ((36ull << 56) | (94ull << 40) | 0x233));
static_assert(isa::store_state(isa::State::cycle_count, 92) ==
              ((40ull << 56) | (92ull << 40) | (1ull << 32)));
static_assert(isa::wait(0xff) == ((3ull << 56) | (0xffull << 16)));
static_assert(isa::call(92, 94) == ((32ull << 56) | (92ull << 40) | (94ull << 32)));
static_assert(isa::sync_add64(92, 94, isa::Scope::system, true) ==
              ((51ull << 56) | (92ull << 40) | (94ull << 32) | 1));
static_assert(isa::error_barrier() == 47ull << 56);
// IGT's cs_wait().
static_assert(isa::wait(1, true) == ((3ull << 56) | (1ull << 32) | (1ull << 16)));

TEST(InstructionSet, EncodingAndDecodingAreInverse) {
  std::mt19937_64 random(1);
  for (const isa::Instruction& row : isa::instruction_set) {
    for (int round = 0; round < 200; ++round) {
      // Any word with the reserved bits clear, made of its fields again, is the same word.
      const uint64_t opcode = static_cast<uint64_t>(row.opcode) << 56;
      const uint64_t word = opcode | (random() & ~row.must_be_zero() & ((uint64_t{1} << 56) - 1));
      uint64_t again = opcode;
      const isa::Decoded decoded = isa::decode(word);
      ASSERT_EQ(decoded.row, &row);
      if (decoded.defect != isa::Defect::none) continue;
      for (const isa::Field& field : row.fields())
        again |= isa::encode(row, {{field.name, decoded[field.name]}});
      ASSERT_EQ(again, word) << row.mnemonic;
    }
  }
}

TEST(InstructionSet, EveryReservedBitIsADefect) {
  for (const isa::Instruction& row : isa::instruction_set) {
    const uint64_t opcode = static_cast<uint64_t>(row.opcode) << 56;
    for (unsigned bit = 0; bit < 56; ++bit) {
      if (!(row.must_be_zero() >> bit & 1)) continue;
      EXPECT_EQ(isa::decode(opcode | uint64_t{1} << bit).defect, isa::Defect::reserved_bits) << row.mnemonic;
    }
  }
}

TEST(InstructionSet, RangesAreChecked) {
  EXPECT_NO_THROW((void)isa::encode(isa::Opcode::branch, {{"offset", -32768}}));
  EXPECT_THROW((void)isa::encode(isa::Opcode::branch, {{"offset", 32768}}), std::out_of_range);
  EXPECT_THROW((void)isa::move32(96, 0), std::out_of_range);
  EXPECT_THROW((void)isa::move48(95, 0), std::out_of_range);
  EXPECT_THROW((void)isa::move48(0, uint64_t{1} << 48), std::out_of_range);
  EXPECT_THROW((void)isa::encode(isa::Opcode::heap_operation, {{"operation", 2}}), std::out_of_range);
  EXPECT_THROW((void)isa::encode(isa::Opcode::nop, {{"no such", 0}}), std::out_of_range);
  EXPECT_THROW((void)isa::sync_wait64(isa::Condition::equal, 0, 2), std::out_of_range);
}

TEST(InstructionSet, DecodeFindsDefects) {
  EXPECT_EQ(isa::decode(uint64_t{0xff} << 56).defect, isa::Defect::opcode);
  EXPECT_EQ(isa::decode(uint64_t{1} << 56 | uint64_t{95} << 48).defect, isa::Defect::register_index);
  EXPECT_EQ(isa::decode(uint64_t{22} << 56 | uint64_t{7} << 28).defect, isa::Defect::undefined_value);
  EXPECT_EQ(isa::decode(isa::nop()).defect, isa::Defect::none);
}

TEST(Disassembler, PrintsWhatAPersonReads) {
  const std::pair<uint64_t, const char*> samples[] = {
      {isa::nop(), "NOP"},
      {isa::move48(4, 0x1234), "MOVE48 d4, #0x1234"},
      {isa::add_imm32(1, 2, -5), "ADD_IMM32 r1, r2, #-5"},
      {isa::wait(0x81), "WAIT wait(0,7)"},
      {isa::branch(isa::Condition::less, 3, -2), "BRANCH.lt r3, #-2"},
      {isa::load_multiple(8, 0b101, 80, -16), "LOAD_MULTIPLE r8, mask(0,2), [d80], #-16"},
      {isa::sync_add64(92, 94, isa::Scope::csg, true, {.wait = 3, .signal = 2}),
       "SYNC_ADD64.error_propagate.csg [d92], d94, signal(2), wait(0,1)"},
      {isa::sync_wait32(isa::Condition::greater, 10, 12), "SYNC_WAIT32.gt [d10], r12"},
      {isa::run_compute(isa::TaskAxis::y, 3),
       "RUN_COMPUTE.y_axis task_increment(3), srt(0), spd(0), tsd(0), fau(0)"},
      {uint64_t{0xff} << 56, "INVALID 0xff00000000000000"},
      {isa::error_barrier() | 1, "ERROR_BARRIER ; reserved bits set"},
  };
  for (const auto& [word, text] : samples) EXPECT_EQ(isa::disassemble(word), text);
}
