// SPDX-License-Identifier: MIT
#include "firmware/tiler_heap.hpp"

#include "tests/mmu/mmu_fixture.hpp"

namespace vgpu::fw {
namespace {

class TilerHeapTest : public test::MmuFixture {
 protected:
  static constexpr uint64_t context_va = 0x10'0000, first = 0x20'0000, second = 0x21'0000;
  static constexpr uint64_t pages_of_chunk = 16;

  TilerHeapTest() {
    table.map(context_va, pages);
    for (uint64_t o = 0; o < 0x2'0000; o += 4096) table.map(first + o, pages + 0x1'0000 + o);
    enable();
  }
  TilerHeap heap{mmu, as, context_va};
  ChunkPointer chunk;
};

TEST_F(TilerHeapTest, AFreshHeapHasNoChunks) {
  EXPECT_FALSE(heap.take(chunk));
}

TEST_F(TilerHeapTest, GivesBackWhatWasAdded) {
  ASSERT_TRUE(heap.add(first | pages_of_chunk));
  ASSERT_TRUE(heap.add(second | pages_of_chunk));
  ASSERT_TRUE(heap.take(chunk));
  EXPECT_EQ(chunk.va(), second);
  EXPECT_EQ(chunk.size(), 0x1'0000u);
  ASSERT_TRUE(heap.take(chunk));
  EXPECT_EQ(chunk.va(), first);
  EXPECT_FALSE(heap.take(chunk));
}

TEST_F(TilerHeapTest, ChunksOfATilerContextFormTheListFinishFragmentReleases) {
  constexpr uint64_t tiler_context = context_va + 0x100;
  ASSERT_TRUE(heap.attach({first | pages_of_chunk}, tiler_context));
  ASSERT_TRUE(heap.attach({second | pages_of_chunk}, tiler_context));
  uint64_t top = 0, bottom = 0;
  ASSERT_EQ(mmu.load(as, tiler_context + 40, top, Master::mcu), AccessResult::ok);
  ASSERT_EQ(mmu.load(as, tiler_context + 48, bottom, Master::mcu), AccessResult::ok);
  EXPECT_EQ(top, second | pages_of_chunk);
  EXPECT_EQ(bottom, first | pages_of_chunk);
  ASSERT_TRUE(heap.release(top, bottom));
  EXPECT_TRUE(heap.take(chunk));
  EXPECT_TRUE(heap.take(chunk));
  EXPECT_FALSE(heap.take(chunk));
}

TEST_F(TilerHeapTest, AListIsReleasedAsAWhole) {
  ASSERT_EQ(mmu.store(as, first, second | pages_of_chunk, Master::mcu), AccessResult::ok);
  ASSERT_TRUE(heap.release(first | pages_of_chunk, second | pages_of_chunk));
  EXPECT_TRUE(heap.take(chunk));
  EXPECT_TRUE(heap.take(chunk));
  EXPECT_FALSE(heap.take(chunk));
}

TEST_F(TilerHeapTest, AContextThatIsNotMappedChangesNothing) {
  TilerHeap gone(mmu, as, 0x7000'0000);
  EXPECT_FALSE(gone.add(first | pages_of_chunk));
  EXPECT_FALSE(gone.take(chunk));
}

}  // namespace
}  // namespace vgpu::fw
