// SPDX-License-Identifier: MIT
#include "panthor/tiler_heap.hpp"

#include "ioctl.hpp"

namespace panthor {

TilerHeap::TilerHeap(const Device& device, const VirtualMemory& vm, const TilerHeapOptions& options)
    : file_(device.file()) {
  drm_panthor_tiler_heap_create args{};
  args.vm_id = vm.id();
  args.initial_chunk_count = options.initial_chunk_count;
  args.chunk_size = options.chunk_bytes;
  args.max_chunks = options.max_chunks;
  args.target_in_flight = options.target_in_flight;
  checked_ioctl(*file_, ioctls::tiler_heap_create, &args, "vm={}, chunks={}..{}, chunk_size={:#x}",
                args.vm_id, args.initial_chunk_count, args.max_chunks, args.chunk_size);
  owned_ = true;
  handle_ = args.handle;
  context_va_ = args.tiler_heap_ctx_gpu_va;
  first_chunk_va_ = args.first_heap_chunk_gpu_va;
}

TilerHeap::~TilerHeap() {
  if (!owned_) return;
  drm_panthor_tiler_heap_destroy args{.handle = handle_, .pad = 0};
  // Fails only when the VM is gone already, and the heap with it.
  (void)try_ioctl(*file_, ioctls::tiler_heap_destroy, &args);
}

TilerHeap::TilerHeap(TilerHeap&& other) noexcept
    : file_(std::move(other.file_)),
      owned_(std::exchange(other.owned_, false)),
      handle_(other.handle_),
      context_va_(other.context_va_),
      first_chunk_va_(other.first_chunk_va_) {}

TilerHeap& TilerHeap::operator=(TilerHeap&& other) noexcept {
  std::swap(file_, other.file_);
  std::swap(owned_, other.owned_);
  std::swap(handle_, other.handle_);
  std::swap(context_va_, other.context_va_);
  std::swap(first_chunk_va_, other.first_chunk_va_);
  return *this;
}

void TilerHeap::destroy() {
  drm_panthor_tiler_heap_destroy args{.handle = handle_, .pad = 0};
  checked_ioctl(*file_, ioctls::tiler_heap_destroy, &args, "heap={:#x}", handle_);
  owned_ = false;
}

}  // namespace panthor
