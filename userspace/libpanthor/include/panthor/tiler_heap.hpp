// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>

#include "panthor/device.hpp"
#include "panthor/virtual_memory.hpp"

namespace panthor {

/// What TILER_HEAP_CREATE takes (struct drm_panthor_tiler_heap_create).
struct TilerHeapOptions {
  uint32_t initial_chunk_count = 5;  ///< 1 to max_chunks
  uint32_t chunk_bytes = 2 << 20;    ///< whole pages, 128 KiB to 8 MiB
  uint32_t max_chunks = 64;
  uint32_t target_in_flight =
      65535;  ///< render passes; beyond it the firmware waits instead of growing the heap
};

/// Memory the tiler grows into, chunk by chunk, owned by a VM. Move-only; destroyed with the object.
class TilerHeap {
 public:
  static constexpr unsigned max_per_vm = 128;  ///< MAX_HEAPS_PER_POOL

  /// TILER_HEAP_CREATE. EINVAL: unknown VM or an option out of range; ENOMEM; EBUSY: max_per_vm heaps exist.
  TilerHeap(const Device& device, const VirtualMemory& vm, const TilerHeapOptions& options = {});
  ~TilerHeap();

  TilerHeap(TilerHeap&& other) noexcept;
  TilerHeap& operator=(TilerHeap&& other) noexcept;
  TilerHeap(const TilerHeap&) = delete;
  TilerHeap& operator=(const TilerHeap&) = delete;

  [[nodiscard]] uint32_t handle() const noexcept { return handle_; }
  /// GPU address of the heap context, for HEAP_SET.
  [[nodiscard]] uint64_t context_va() const noexcept { return context_va_; }
  /// GPU address of the first chunk.
  [[nodiscard]] uint64_t first_chunk_va() const noexcept { return first_chunk_va_; }

  /// TILER_HEAP_DESTROY now, with errors thrown. The destructor does the same silently.
  void destroy();

 private:
  std::shared_ptr<const DrmFile> file_;
  bool owned_ = false;  // a handle may be any number: id of the VM << 16 | index of the heap
  uint32_t handle_ = 0;
  uint64_t context_va_ = 0;
  uint64_t first_chunk_va_ = 0;
};

}  // namespace panthor
