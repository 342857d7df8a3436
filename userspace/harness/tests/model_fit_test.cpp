// SPDX-License-Identifier: MIT
#include "heap/model_fit.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

namespace harness {
namespace {

std::string stop(const ModelProfile& model, const FitLimits& limits = {}) {
  const Fit fit = fit_model(model, limits);
  return fit.stopped_by() ? fit.stopped_by()->limit : "";
}

TEST(FitModel, ThePrivateHeapStopsTheModelWithLargeSpill) {
  EXPECT_EQ(stop(find_profile("26b")), "private heap");
}

TEST(FitModel, ASmallSpillFits) {
  EXPECT_EQ(stop(find_profile("3b")), "");
}

TEST(FitModel, ALargerHeapMovesTheLimitToRam) {
  FitLimits limits;
  limits.private_heap.end = 64ull << 30;
  EXPECT_EQ(stop(find_profile("26b"), limits), "");
  limits.ram_bytes = 16ull << 30;
  EXPECT_EQ(stop(find_profile("26b"), limits), "RAM");
}

TEST(FitModel, ABufferAboveTheCapStopsFirst) {
  ModelProfile model = find_profile("26b");
  model.largest_buffer = 4ull << 30;
  EXPECT_EQ(stop(model), "buffer size");
}

TEST(FitModel, TheOldDriversWholeVmIsTheApplicationHeap) {
  FitLimits limits;
  limits.application_heap = {32ull << 20, 4ull << 30};
  EXPECT_EQ(stop(find_profile("26b"), limits), "application heap");
}

TEST(FitModel, RamSmallerThanItsReserveIsNoRam) {
  FitLimits limits;
  limits.ram_bytes = 1 << 20;
  EXPECT_EQ(stop(find_profile("3b"), limits), "RAM");
}

TEST(FindProfile, NamesTheOnesThereAre) {
  try {
    (void)find_profile("7b");
    FAIL();
  } catch (const std::invalid_argument& error) {
    EXPECT_STREQ(error.what(), "no profile \"7b\": there are 26b, e2b, 3b");
  }
}

}  // namespace
}  // namespace harness
