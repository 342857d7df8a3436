// SPDX-License-Identifier: MIT
#include "firmware/tiler_heap.hpp"

namespace vgpu::fw {

bool TilerHeap::load(HeapContext& context) {
  return mmu_.read(as_, va_, std::as_writable_bytes(std::span(&context, 1)), Master::mcu) == AccessResult::ok;
}

bool TilerHeap::store(const HeapContext& context) {
  return mmu_.write(as_, va_, std::as_bytes(std::span(&context, 1)), Master::mcu) == AccessResult::ok;
}

bool TilerHeap::release(uint64_t first, uint64_t last) {
  if (first == 0 || last == 0) return true;
  HeapContext context{};
  if (!load(context)) return false;
  if (mmu_.store(as_, ChunkPointer{last}.va(), context.free_chunks, Master::mcu) != AccessResult::ok) return false;
  context.free_chunks = first;
  return store(context);
}

bool TilerHeap::add(uint64_t chunk) { return release(chunk, chunk); }

bool TilerHeap::take(ChunkPointer& chunk) {
  HeapContext context{};
  if (!load(context) || context.free_chunks == 0) return false;
  chunk.raw = context.free_chunks;
  uint64_t next = 0;
  if (mmu_.load(as_, chunk.va(), next, Master::mcu) != AccessResult::ok) return false;
  const uint64_t previous = context.current_chunk;
  if (mmu_.store(as_, chunk.va(), previous, Master::mcu) != AccessResult::ok) return false;
  context.free_chunks = next;
  context.current_chunk = chunk.raw;
  return store(context);
}

}  // namespace vgpu::fw
