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
  if (mmu_.store(as_, ChunkPointer{last}.va(), context.free_chunks, Master::mcu) != AccessResult::ok)
    return false;
  context.free_chunks = first;
  return store(context);
}

bool TilerHeap::add(uint64_t chunk) {
  return release(chunk, chunk);
}

bool TilerHeap::take(ChunkPointer& chunk) {
  HeapContext context{};
  if (!load(context) || context.free_chunks == 0) return false;
  chunk.raw = context.free_chunks;
  uint64_t next = 0;
  if (mmu_.load(as_, chunk.va(), next, Master::mcu) != AccessResult::ok) return false;
  context.free_chunks = next;
  return store(context);
}

bool TilerHeap::attach(ChunkPointer chunk, uint64_t tiler_context_va) {
  constexpr uint64_t completed_top = 10 * 4, completed_bottom = 12 * 4;  // genxml v10 "Tiler Context", bytes
  uint64_t top = 0;
  const auto ok = [](AccessResult r) { return r == AccessResult::ok; };
  return ok(mmu_.load(as_, tiler_context_va + completed_top, top, Master::tiler)) &&
         ok(mmu_.store(as_, chunk.va(), top, Master::tiler)) &&
         (top != 0 || ok(mmu_.store(as_, tiler_context_va + completed_bottom, chunk.raw, Master::tiler))) &&
         ok(mmu_.store(as_, tiler_context_va + completed_top, chunk.raw, Master::tiler));
}

}  // namespace vgpu::fw
