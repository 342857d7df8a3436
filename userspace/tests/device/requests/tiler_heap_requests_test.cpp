// SPDX-License-Identifier: MIT
// TILER_HEAP_CREATE and TILER_HEAP_DESTROY (panthor_heap_create()).
#include "requests/request_test.hpp"

namespace panthor::test {
namespace {

struct TilerHeapCreate {
  explicit TilerHeapCreate(World& world) { args.vm_id = world.vm().id(); }
  int issue(World& world) {
    const int result = raw_ioctl(world.device(), DRM_IOCTL_PANTHOR_TILER_HEAP_CREATE, args);
    if (result == 0) {
      EXPECT_EQ(args.handle >> 16, args.vm_id);
      EXPECT_GE(args.tiler_heap_ctx_gpu_va, world.vm().user_va_range());
      EXPECT_GE(args.first_heap_chunk_gpu_va, world.vm().user_va_range());
    }
    return result;
  }

  drm_panthor_tiler_heap_create args{.vm_id = 0,
                                     .initial_chunk_count = 1,
                                     .chunk_size = 128 << 10,
                                     .max_chunks = 4,
                                     .target_in_flight = 16,
                                     .handle = 0,
                                     .tiler_heap_ctx_gpu_va = 0,
                                     .first_heap_chunk_gpu_va = 0};
};

std::vector<Case<TilerHeapCreate>> create_cases() {
  using Args = drm_panthor_tiler_heap_create;
  const auto row = [](const std::string& name, int expected, auto change) {
    return Case<TilerHeapCreate>{name, expected, [=](TilerHeapCreate& r, World& w) { change(r.args, w); }};
  };
  std::vector<Case<TilerHeapCreate>> table = {
      {"Valid", 0},
      row("VmZero", EINVAL, [](Args& a, World&) { a.vm_id = 0; }),
      row("UnknownVm", EINVAL, [](Args& a, World&) { a.vm_id = VirtualMemory::max_per_file; }),
      row("ForeignVm", EINVAL, [](Args& a, World& w) { a.vm_id = w.foreign_vm(); }),
      row("NoInitialChunks", EINVAL, [](Args& a, World&) { a.initial_chunk_count = 0; }),
      row("EveryChunkInitially", 0, [](Args& a, World&) { a.initial_chunk_count = 4; }),
      row("MoreInitialChunksThanTheMost", EINVAL, [](Args& a, World&) { a.initial_chunk_count = 5; }),
      row("InitialChunksOfAllBits", EINVAL, [](Args& a, World&) { a.initial_chunk_count = ~0u; }),
      row("NoChunks", EINVAL, [](Args& a, World&) { a.max_chunks = 0; }),
      row("MaximumOfAllBits", 0, [](Args& a, World&) { a.max_chunks = ~0u; }),
      row("NothingInFlight", 0, [](Args& a, World&) { a.target_in_flight = 0; }),
      row("InFlightOfAllBits", 0, [](Args& a, World&) { a.target_in_flight = ~0u; }),
  };
  for (const uint32_t bytes : {128u << 10, (128u << 10) + 4096, 2u << 20, 8u << 20})
    table.push_back(
        row("ChunksOf" + std::to_string(bytes), 0, [=](Args& a, World&) { a.chunk_size = bytes; }));
  for (const uint32_t bytes : {0u, 4096u, (128u << 10) - 4096, (128u << 10) + 1, (128u << 10) + 2048,
                               (8u << 20) + 4096, 16u << 20, ~0u})
    table.push_back(
        row("ChunksOf" + std::to_string(bytes), EINVAL, [=](Args& a, World&) { a.chunk_size = bytes; }));
  return table;
}

struct TilerHeapDestroy {
  explicit TilerHeapDestroy(World& world) { args.handle = world.heap().handle(); }
  int issue(World& world) { return raw_ioctl(world.device(), DRM_IOCTL_PANTHOR_TILER_HEAP_DESTROY, args); }

  drm_panthor_tiler_heap_destroy args{};
};

std::vector<Case<TilerHeapDestroy>> destroy_cases() {
  using Args = drm_panthor_tiler_heap_destroy;
  const auto row = [](const char* name, int expected, auto change) {
    return Case<TilerHeapDestroy>{name, expected, [=](TilerHeapDestroy& r, World& w) { change(r.args, w); }};
  };
  return {
      {"Valid", 0},
      row("Padding", EINVAL, [](Args& a, World&) { a.pad = 1; }),
      row("UnknownHeap", EINVAL, [](Args& a, World&) { a.handle += TilerHeap::max_per_vm - 1; }),
      row("HeapBeyondTheLast", EINVAL, [](Args& a, World&) { a.handle += TilerHeap::max_per_vm; }),
      row("HeapOfAllBits", EINVAL, [](Args& a, World&) { a.handle |= 0xffff; }),
      row("VmZero", EINVAL, [](Args& a, World&) { a.handle &= 0xffff; }),
      row("UnknownVm", EINVAL, [](Args& a, World&) { a.handle = VirtualMemory::max_per_file << 16; }),
      row("ForeignHeap", EINVAL, [](Args& a, World& w) { a.handle = w.foreign_heap(); }),
      row("VmThatNeverHadAHeap", ENOENT, [](Args& a, World& w) { a.handle = w.second_vm().id() << 16; }),
      {"Twice", EINVAL, [](TilerHeapDestroy& r, World& w) { EXPECT_EQ(r.issue(w), 0); }},
  };
}

PANTHOR_REQUEST_TABLE(TilerHeapCreateRequest, TilerHeapCreate, create_cases());
PANTHOR_REQUEST_TABLE(TilerHeapDestroyRequest, TilerHeapDestroy, destroy_cases());

using TilerHeaps = DeviceTest;

TEST_F(TilerHeaps, VmHasALimit) {
  const TilerHeapOptions smallest{.initial_chunk_count = 1, .chunk_bytes = 128 << 10, .max_chunks = 1};
  std::vector<TilerHeap> heaps;
  while (heaps.size() < TilerHeap::max_per_vm) heaps.emplace_back(device(), vm(), smallest);
  EXPECT_ERRNO(EBUSY, heaps.emplace_back(device(), vm(), smallest));
  heaps.pop_back();
  EXPECT_NO_THROW(heaps.emplace_back(device(), vm(), smallest));
  const VirtualMemory other(device());
  EXPECT_NO_THROW(TilerHeap(device(), other, smallest)) << "the limit is a VM's";
}

TEST_F(TilerHeaps, HeapGoesWithItsVm) {
  VirtualMemory other(device());
  TilerHeap heap(device(), other, {.initial_chunk_count = 1, .max_chunks = 1});
  other.destroy();
  EXPECT_ERRNO(EINVAL, heap.destroy());
  expect_device_works();
}

}  // namespace
}  // namespace panthor::test
