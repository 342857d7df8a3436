// SPDX-License-Identifier: MIT
#include "registers/register_map.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace vgpu {
namespace {

TEST(RegisterMap, RowsAreInOffsetOrderAndNeverOverlap) {
  std::vector<uint32_t> words;
  uint32_t last = 0;
  for (const RegisterRow& row : register_map()) {
    EXPECT_GE(row.offset, last) << row.name;
    last = row.offset;
    for (uint32_t n = 0; n < row.count; ++n)
      for (uint32_t byte = 0; byte < row.bytes; byte += 4)
        words.push_back(row.offset + n * row.stride + byte);
  }
  std::ranges::sort(words);
  EXPECT_EQ(std::ranges::adjacent_find(words), words.end());
  EXPECT_LT(words.back(), RegisterFile::window_size);
}

TEST(RegisterMap, EveryWordLeadsBackToItsRow) {
  for (const RegisterRow& row : register_map())
    for (uint32_t n = 0; n < row.count; ++n)
      for (uint32_t byte = 0; byte < row.bytes; byte += 4) {
        const auto ref = find_register(row.offset + n * row.stride + byte);
        ASSERT_TRUE(ref) << row.name;
        EXPECT_EQ(ref->row->name, row.name);
        EXPECT_EQ(ref->index, n);
        EXPECT_EQ(ref->high, byte == 4);
      }
}

TEST(RegisterMap, NamesTellElementAndHalf) {
  EXPECT_EQ(register_name(*find_register(0x0)), "GPU_ID");
  EXPECT_EQ(register_name(*find_register(0x24c0)), "AS_TRANSTAB[3]");
  EXPECT_EQ(register_name(*find_register(0x24c4)), "AS_TRANSTAB[3].hi");
  EXPECT_EQ(register_name(*find_register(0xa0000)), "CSF_DOORBELL[2]");
}

TEST(RegisterMap, GapsAndUnalignedOffsetsAreUnknown) {
  for (const uint32_t offset :
       {0x38u, 0x5cu, 0x2c0u, 0x800u, 0x2600u, 0x10004u, 0x80004u, 0x1f0004u, 0x2u, ~3u})
    EXPECT_FALSE(find_register(offset)) << offset;
}

TEST(RegisterMap, ResetValuesAreAnRk3588s) {
  RegisterFile registers;
  load_reset_values(registers);
  EXPECT_EQ(registers.get(0x0), 0xa867'0005u);
  EXPECT_EQ(registers.get(0x14), 0x2830u);
  EXPECT_EQ(registers.get(0x18), 0xffu);
  EXPECT_EQ(registers.get64(0x100), 0x5'0005u);
  EXPECT_EQ(registers.get(0xb0), 0xc1ff'ff9eu);
  EXPECT_EQ(registers.get(0x300), 1u);
  EXPECT_EQ(registers.get(reg::latest_flush_id), 1u);
}

TEST(RegisterFile, AttachAndDetachCarryValuesOver) {
  RegisterFile registers;
  registers.set(0x48, 7);
  std::vector<uint32_t> shared(RegisterFile::word_count);
  registers.attach(shared);
  EXPECT_EQ(shared[0x48 / 4], 7u);
  registers.set(0x48, 9);
  EXPECT_EQ(shared[0x48 / 4], 9u) << "a store must be visible to the guest";
  registers.detach();
  shared[0x48 / 4] = 0;
  EXPECT_EQ(registers.get(0x48), 9u);
}

}  // namespace
}  // namespace vgpu
