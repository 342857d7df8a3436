// SPDX-License-Identifier: MIT
#include "core/memory.hpp"

#include <gtest/gtest.h>

namespace vgpu {
namespace {

TEST(HeapMemory, GivesOnlySpansThatAreWhollyRam) {
  HeapMemory memory(0x1000, 0x2000);
  EXPECT_EQ(memory.span(0x1000, 0x2000).size(), 0x2000u);
  EXPECT_TRUE(memory.span(0xfff, 1).empty());
  EXPECT_TRUE(memory.span(0x2fff, 2).empty());
  EXPECT_TRUE(memory.span(0x3000, 1).empty());
  EXPECT_TRUE(memory.span(0x1000, 0).empty());
  EXPECT_TRUE(memory.span(0x1000, ~0ull).empty());
  EXPECT_TRUE(memory.span(~0ull, 2).empty());
}

}  // namespace
}  // namespace vgpu
