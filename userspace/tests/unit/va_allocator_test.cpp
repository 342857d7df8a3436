// SPDX-License-Identifier: MIT
#include "panthor/va_allocator.hpp"

#include <gtest/gtest.h>

#include <new>
#include <stdexcept>

namespace panthor {
namespace {

constexpr uint64_t page = 4096;

TEST(VaAllocator, LowestFitAtTheAlignment) {
  VaAllocator va(page, 1 << 20);
  EXPECT_EQ(va.allocate(page), page);
  EXPECT_EQ(va.allocate(page, 0x10000), 0x10000u);
  EXPECT_EQ(va.allocate(page), 2 * page) << "the hole in front of the aligned one is used";
}

TEST(VaAllocator, ReleaseMergesNeighbours) {
  VaAllocator va(0, 4 * page);
  for (uint64_t i = 0; i < 4; ++i) EXPECT_EQ(va.allocate(page), i * page);
  EXPECT_THROW((void)va.allocate(page), std::bad_alloc);
  va.release(0, page);
  va.release(2 * page, page);
  EXPECT_THROW((void)va.allocate(3 * page), std::bad_alloc);
  va.release(page, page);
  EXPECT_EQ(va.free_bytes(), 3 * page);
  EXPECT_EQ(va.allocate(3 * page), 0u);
}

TEST(VaAllocator, ReservedRangesAreAvoided) {
  VaAllocator va(0, 4 * page);
  va.reserve(page, page);
  EXPECT_EQ(va.allocate(2 * page), 2 * page);
  EXPECT_EQ(va.allocate(page), 0u);
  EXPECT_THROW(va.reserve(page, page), std::invalid_argument);
}

TEST(VaAllocator, MisuseIsAnError) {
  VaAllocator va(page, 4 * page);
  EXPECT_THROW((void)va.allocate(0), std::invalid_argument);
  EXPECT_THROW((void)va.allocate(page, 3000), std::invalid_argument);
  EXPECT_THROW(va.release(page, page), std::invalid_argument) << "is free";
  EXPECT_THROW(va.release(0, page), std::invalid_argument) << "below the range";
  EXPECT_THROW(va.reserve(5 * page, page), std::invalid_argument) << "above the range";
  EXPECT_THROW(VaAllocator(~0ull - page, 2 * page), std::invalid_argument);
  const uint64_t a = va.allocate(2 * page);
  EXPECT_THROW(va.release(a, 3 * page), std::invalid_argument) << "reaches into a hole";
}

TEST(VaAllocator, TopOfTheAddressSpace) {
  VaAllocator va(~0ull - 2 * page + 1, 2 * page - 1);
  EXPECT_EQ(va.allocate(page), ~0ull - 2 * page + 1);
  EXPECT_THROW((void)va.allocate(page), std::bad_alloc);
}

}  // namespace
}  // namespace panthor
