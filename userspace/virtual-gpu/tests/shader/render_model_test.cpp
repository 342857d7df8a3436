// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include "tests/shader/fake_memory.hpp"

namespace vgpu::shader::test {
namespace {

constexpr uint64_t context_va = 0x10'0000, heap_va = 0x11'0000, chunk_va = 0x20'0000,
                   next_chunk_va = 0x30'0000, framebuffer_va = 0x12'0000;

struct RenderModelTest : testing::Test, FakeMemory, FakeJob {
  RenderModelTest() {
    pair(40, context_va);
    std::array<uint32_t, 26> context{};
    context[6] = heap_va;
    put(context_va, context);
    heap(4096);
    registers[34] = 1;
  }
  /// A heap whose first chunk has `bytes` left.
  void heap(uint32_t bytes) {
    put(heap_va, std::array<uint32_t, 8>{9 | 2 << 4, 0x4'0000, chunk_va, 0, chunk_va + 64, 0,
                                         static_cast<uint32_t>(chunk_va + 64 + bytes), 0});
  }
  Plan draw(uint32_t triangles, uint64_t first_task = 0) {
    registers[33] = triangles * 3;
    return planner.plan(job(isa::run_idvs(0)), translate, first_task);
  }
  JobPlanner planner;
};

TEST_F(RenderModelTest, DrawsTakeTimeAndHeap) {
  EXPECT_EQ(draw(1000 / 32).heap_bytes, 0u);
  EXPECT_GT(draw(10'000).tasks, draw(100).tasks);
}

TEST_F(RenderModelTest, HeapUseAddsUpOverTheDrawsOfAContext) {
  EXPECT_EQ(draw(100).heap_bytes, 0u);
  EXPECT_EQ(draw(100).heap_bytes, 2 * 100 * heap_bytes_per_primitive - 4096);
  EXPECT_EQ(draw(100).heap_bytes, 100 * heap_bytes_per_primitive)
      << "what was asked for before is not asked again";
  EXPECT_EQ(draw(100, 1).heap_bytes, 0u) << "a job that goes on has its memory";
}

TEST_F(RenderModelTest, LinkedChunksAreCapacity) {
  put(chunk_va, std::array<uint32_t, 2>{static_cast<uint32_t>(next_chunk_va | 0x20), 0});  // 128 KiB
  EXPECT_EQ(draw(200).heap_bytes, 0u);
  const uint64_t capacity = 4096 + 0x2'0000 - 64;
  EXPECT_EQ(draw(10'000).heap_bytes, 10'200 * heap_bytes_per_primitive - capacity);
}

TEST_F(RenderModelTest, AChunkListThatLoopsEnds) {
  put(chunk_va, std::array<uint32_t, 2>{static_cast<uint32_t>(chunk_va | 1), 0});
  EXPECT_EQ(draw(1).result, AccessResult::ok);
}

TEST_F(RenderModelTest, AStalledContextCountsOnce) {
  stalled = {heap_va};
  EXPECT_EQ(draw(100).result, AccessResult::stalled);
  stalled.clear();
  EXPECT_EQ(draw(100).heap_bytes, 0u);
}

TEST_F(RenderModelTest, BadHeapDescriptorIsAFault) {
  put(heap_va, std::array<uint32_t, 1>{8});
  const Plan plan = draw(1);
  ASSERT_TRUE(plan.fault);
  EXPECT_EQ(plan.fault->code, cs::ExceptionCode::data_invalid_fault);
  EXPECT_EQ(plan.fault->info, heap_va);
  pair(40, context_va + 4);
  EXPECT_TRUE(draw(1).fault);
}

TEST_F(RenderModelTest, FragmentJobsHaveATaskPerTile) {
  std::array<uint32_t, 12> words{};
  words[8] = (640 - 1) | (480 - 1) << 16;
  words[11] = 8 << 9;  // 256 pixels
  put(framebuffer_va, words);
  pair(40, framebuffer_va | 1);
  const Plan plan = planner.plan(job(isa::run_fragment()), translate);
  EXPECT_EQ(plan.tasks, 640u * 480 / 256);
  EXPECT_EQ(plan.ns_per_task, tile_ns);
  words[11] = 6 << 9;  // 64 pixels: more tiles, less time each
  put(framebuffer_va, words);
  const Plan small_tiles = planner.plan(job(isa::run_fragment()), translate);
  EXPECT_EQ(small_tiles.tasks, plan.tasks * 4);
  EXPECT_EQ(small_tiles.ns_per_task, tile_ns / 4);
}

TEST_F(RenderModelTest, FullscreenAndFinishTilingAreShort) {
  EXPECT_EQ(planner.plan(job(isa::run_fullscreen(0, 50)), translate).tasks, 1u);
  EXPECT_EQ(planner.plan(job(isa::finish_tiling()), translate).tasks, 1u);
}

}  // namespace
}  // namespace vgpu::shader::test
