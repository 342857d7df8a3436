// SPDX-License-Identifier: MIT
#include "panthor/bit_flags.hpp"

#include <gtest/gtest.h>

#include "panthor/virtual_memory.hpp"

namespace panthor {
namespace {

TEST(BitFlags, CombineAndTest) {
  constexpr BindFlags both = BindFlags::readonly | BindFlags::noexec;
  static_assert(has(both, BindFlags::readonly));
  static_assert(!has(both, BindFlags::uncached));
  EXPECT_EQ(static_cast<uint32_t>(both), 3u);
}

}  // namespace
}  // namespace panthor
