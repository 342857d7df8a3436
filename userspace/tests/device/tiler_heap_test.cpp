// SPDX-License-Identifier: MIT
#include <cerrno>

#include "device_test.hpp"

namespace panthor::test {
namespace {

using TilerHeapTest = DeviceTest;

TEST_F(TilerHeapTest, HeapsAreInTheKernelsPartOfTheVm) {
  TilerHeap first(device(), vm());
  const TilerHeap second(device(), vm(),
                         {.initial_chunk_count = 1, .chunk_bytes = 128 << 10, .max_chunks = 1});
  EXPECT_NE(first.handle(), second.handle());
  EXPECT_NE(first.context_va(), second.context_va());
  EXPECT_GE(first.context_va(), vm().user_va_range());
  EXPECT_GE(first.first_chunk_va(), vm().user_va_range());
  EXPECT_NO_THROW(first.destroy());
}

TEST_F(TilerHeapTest, BadOptionsAreRefused) {
  EXPECT_ERRNO(EINVAL, TilerHeap(device(), vm(), {.initial_chunk_count = 0}));
  EXPECT_ERRNO(EINVAL, TilerHeap(device(), vm(), {.initial_chunk_count = 2, .max_chunks = 1}));
  EXPECT_ERRNO(EINVAL, TilerHeap(device(), vm(), {.chunk_bytes = 64 << 10}));
  EXPECT_ERRNO(EINVAL, TilerHeap(device(), vm(), {.chunk_bytes = (128 << 10) + 1}));
  EXPECT_ERRNO(EINVAL, TilerHeap(device(), vm(), {.chunk_bytes = 16 << 20}));
}

TEST_F(TilerHeapTest, DestroyedHeapIsGone) {
  TilerHeap heap(device(), vm());
  heap.destroy();
  EXPECT_ERRNO(EINVAL, heap.destroy());
}

}  // namespace
}  // namespace panthor::test
