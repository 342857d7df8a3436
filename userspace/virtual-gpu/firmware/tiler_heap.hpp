// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>

#include "mmu/mmu.hpp"

namespace vgpu::fw {

/// A pointer to a heap chunk: VA in [63:12], size in pages in [11:0] (panthor_heap.c, panthor_heap_grow()).
struct ChunkPointer {
  uint64_t raw = 0;
  [[nodiscard]] constexpr uint64_t va() const noexcept { return raw & ~uint64_t{0xfff}; }
  [[nodiscard]] constexpr uint64_t size() const noexcept { return (raw & 0xfff) << 12; }  ///< bytes
};

/// Bytes at the start of a chunk that belong to its header (struct panthor_heap_chunk_header).
inline constexpr uint64_t chunk_header_size = 64;

/// The 32-byte heap context the driver zeroes and hands out (panthor_heap.c). Only the firmware reads it, so
/// the layout is the model's own (assumed).
struct HeapContext {
  uint64_t free_chunks;  ///< ChunkPointer to a list linked by the chunk headers
  uint32_t vt_started, vt_completed, fragment_completed, reserved[3];
};
static_assert(sizeof(HeapContext) == 32);

/// The heap context of one stream (HEAP_SET), living in the group's address space.
class TilerHeap {
 public:
  TilerHeap(Mmu& mmu, unsigned as, uint64_t context_va) : mmu_(mmu), as_(as), va_(context_va) {}

  /// False when the context cannot be read or written; nothing is changed then.
  bool load(HeapContext& context);
  bool store(const HeapContext& context);

  /// Puts the chunks `first`..`last` (linked by their headers) on the free list (FINISH_FRAGMENT).
  bool release(uint64_t first, uint64_t last);
  /// Puts one new chunk on the free list: the driver's answer to CS_TILER_OOM.
  bool add(uint64_t chunk);
  /// Takes a chunk off the free list. False when there is none.
  bool take(ChunkPointer& chunk);
  /// Links a taken chunk into the list a tiler context fills: its "Completed top"/"Completed bottom" (genxml
  /// v10), what the stream later hands to FINISH_FRAGMENT. False when the tiler context cannot be reached.
  bool attach(ChunkPointer chunk, uint64_t tiler_context_va);

 private:
  Mmu& mmu_;
  unsigned as_;
  uint64_t va_;
};

}  // namespace vgpu::fw
