// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <sstream>
#include <stdexcept>

#include "heap/fdinfo.hpp"
#include "heap/private_heap.hpp"

namespace harness {
namespace {

constexpr uint64_t mib = 1ull << 20;

// Measured on a board: 544 and 5328 bytes of spill gave scratch buffers of 38 and 304 MiB.
TEST(ScratchBytes, AreWhatABoardAllocates) {
  EXPECT_EQ(thread_scratch_bytes(544), 1024u);
  EXPECT_EQ(scratch_bytes(544), 38 * mib);
  EXPECT_EQ(thread_scratch_bytes(5328), 8192u);
  EXPECT_EQ(scratch_bytes(5328), 304 * mib);
}

TEST(ScratchBytes, RoundUpToAPowerOfTwoOfAtLeastSixteen) {
  EXPECT_EQ(thread_scratch_bytes(0), 0u);
  EXPECT_EQ(thread_scratch_bytes(1), 16u);
  EXPECT_EQ(thread_scratch_bytes(17), 32u);
  EXPECT_EQ(thread_scratch_bytes(1024), 1024u);
  EXPECT_EQ(thread_scratch_bytes(1025), 2048u);
  EXPECT_THROW((void)thread_scratch_bytes(UINT64_MAX), std::invalid_argument);
}

TEST(ScratchGpu, CountsSlicesUpToTheLastCore) {
  const ScratchGpu gpu;
  EXPECT_EQ(gpu.cores(), 4u);
  EXPECT_EQ(gpu.slices(), 19u);
}

TEST(PlanHeap, ThirteenBuffersOf304MiBFitTheDefaultRange) {
  const HeapUse use = plan_heap(5328, 16);
  EXPECT_EQ(use.heap_bytes, 4064 * mib);
  EXPECT_EQ(use.fitting, 13u);
  EXPECT_EQ(use.full_at, 14u);
  EXPECT_TRUE(use.full());
  EXPECT_EQ(use.pinned_bytes, 13 * 304 * mib);
}

TEST(PlanHeap, OtherPoolsMakeItFailEarlier) {
  // 13 buffers take 3952 of 4064 MiB: 112 MiB are left for everything else that lives there.
  EXPECT_EQ(plan_heap(5328, 16, {}, {}, 112 * mib).fitting, 13u);
  EXPECT_EQ(plan_heap(5328, 16, {}, {}, 113 * mib).fitting, 12u);
}

TEST(PlanHeap, SeventyNinePercentBelongsToCoresThatDoNotExist) {
  const HeapUse use = plan_heap(5328, 13);
  EXPECT_EQ(use.phantom_bytes, use.pinned_bytes / 19 * 15);
  EXPECT_EQ(use.phantom_bytes * 100 / use.pinned_bytes, 78u);  // 78.9
}

TEST(PlanHeap, WithoutScratchNothingIsPinned) {
  const HeapUse use = plan_heap(0, 1000);
  EXPECT_FALSE(use.full());
  EXPECT_EQ(use.pinned_bytes, 0u);
}

TEST(PlanHeap, RefusesWhatMakesNoSense) {
  EXPECT_THROW((void)plan_heap(16, 1, {}, {.start = 4, .end = 4}), std::invalid_argument);
  EXPECT_THROW((void)plan_heap(16, 1, {.shader_present = 0}), std::invalid_argument);
}

TEST(Fdinfo, SizesAreBytes) {
  const auto size = [](const char* key) {
    std::istringstream text(
        "drm-driver:\tpanthor\ndrm-resident-memory:\t10396 KiB\ndrm-total-memory:\t3 MiB\n"
        "panthor-resident-scratch:\t12\ndrm-shared-memory:\n");
    return fdinfo_bytes(text, key);
  };
  EXPECT_EQ(size("drm-resident-memory"), 10396u * 1024);
  EXPECT_EQ(size("drm-total-memory"), 3 * mib);
  EXPECT_EQ(size("panthor-resident-scratch"), 12u);
  EXPECT_FALSE(size("drm-shared-memory"));
  EXPECT_FALSE(size("resident"));
}

TEST(ShowBytes, UsesBinaryUnits) {
  EXPECT_EQ(show_bytes(12), "12 B");
  EXPECT_EQ(show_bytes(304 * mib), "304.0 MiB");
  EXPECT_EQ(show_bytes(4064 * mib), "4064.0 MiB");
  EXPECT_EQ(show_bytes(16384 * mib), "16.0 GiB");
}

}  // namespace
}  // namespace harness
