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

TEST_F(TilerHeapTest, AFreshHeapHasNoChunks) { EXPECT_FALSE(heap.take(chunk)); }

TEST_F(TilerHeapTest, GivesBackWhatWasAddedAndChainsIt) {
  ASSERT_TRUE(heap.add(first | pages_of_chunk));
  ASSERT_TRUE(heap.add(second | pages_of_chunk));
  ASSERT_TRUE(heap.take(chunk));
  EXPECT_EQ(chunk.va(), second);
  EXPECT_EQ(chunk.size(), 0x1'0000u);
  ASSERT_TRUE(heap.take(chunk));
  EXPECT_EQ(chunk.va(), first);
  EXPECT_FALSE(heap.take(chunk));
  HeapContext context{};
  ASSERT_TRUE(heap.load(context));
  EXPECT_EQ(context.current_chunk, first | pages_of_chunk);
  uint64_t previous = 0;
  ASSERT_EQ(mmu.load(as, first, previous, Master::mcu), AccessResult::ok);
  EXPECT_EQ(previous, second | pages_of_chunk);
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
