// SPDX-License-Identifier: MIT
#include "heap/heap_replay.hpp"

#include <cerrno>
#include <new>
#include <system_error>
#include <vector>

#include "heap/fdinfo.hpp"
#include "panthor/buffer_object.hpp"
#include "panthor/va_allocator.hpp"
#include "panthor/virtual_memory.hpp"

namespace harness {
namespace {

constexpr uint64_t large =
    2ull << 20;  // panvk aligns what is larger to it, so that the kernel may use 2 MiB blocks

}  // namespace

HeapReplay replay_heap(const panthor::Device& device, uint64_t buffer_bytes, uint64_t buffers,
                       const VaRange& range, const std::function<void(uint64_t)>& on_bound) {
  HeapReplay replay;
  const panthor::VirtualMemory vm(device, uint64_t{1} << 47);
  panthor::VaAllocator addresses(range.start, range.bytes());
  std::vector<panthor::BufferObject> bound;
  for (uint64_t i = 0; i < buffers; ++i) {
    uint64_t va = 0;
    try {
      va = addresses.allocate(buffer_bytes, buffer_bytes > large ? large : panthor::VirtualMemory::page_size);
    } catch (const std::bad_alloc&) {
      replay.range_full = true;
      break;
    }
    try {
      bound.emplace_back(device, buffer_bytes, panthor::BoFlags::no_mmap, &vm);
      vm.map(bound.back(), va, panthor::BindFlags::noexec);
    } catch (const std::system_error& error) {
      replay.error = error.what();
      break;
    }
    ++replay.bound;
    replay.bound_bytes += buffer_bytes;
    on_bound(replay.bound);
  }
  replay.resident_bytes = fdinfo_bytes(device, "drm-resident-memory");
  return replay;
}

HeapReplay replay_kernel_heap(const panthor::Device& device, uint64_t buffer_bytes, uint64_t buffers) {
  HeapReplay replay;
  const panthor::VirtualMemory vm(device, 0, panthor::VaHeap{});
  std::vector<panthor::BufferObject> bound;
  while (replay.bound < buffers) {
    try {
      bound.emplace_back(device, buffer_bytes, panthor::BoFlags::no_mmap | panthor::BoFlags::alloc_on_fault,
                         &vm);
      (void)vm.place(bound.back(), {}, panthor::BindFlags::noexec);
    } catch (const std::system_error& error) {
      replay.range_full = error.code().value() == ENOSPC;
      if (!replay.range_full) replay.error = error.what();
      break;
    }
    ++replay.bound;
    replay.bound_bytes += buffer_bytes;
  }
  // drm-resident-memory is not there at all while nothing is resident.
  replay.resident_bytes = fdinfo_bytes(device, "panthor-resident-scratch");
  return replay;
}

ScratchGpu scratch_gpu(const panthor::Device& device) {
  const panthor::GpuInfo info = device.gpu_info();
  return {.shader_present = info.shader_present, .threads_per_core = info.max_threads};
}

}  // namespace harness
