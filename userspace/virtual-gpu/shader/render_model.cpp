// SPDX-License-Identifier: MIT
#include "shader/render_model.hpp"

#include <algorithm>
#include <array>
#include <atomic>

#include "panthor/isa/table.hpp"
#include "shader/descriptors.hpp"
#include "shader/guest_reader.hpp"

namespace vgpu::shader {
namespace {

namespace isa = ::panthor::isa;
using cs::ExceptionCode;

// Registers of RUN_IDVS and RUN_FRAGMENT (Mesa's decode_csf.c).
constexpr unsigned index_count_register = 33, instance_count_register = 34;
constexpr unsigned pointer_register = 40;  // tiler context, or framebuffer descriptor
constexpr uint64_t framebuffer_tag_mask = 0x3f;
constexpr uint64_t descriptor_alignment = 64;  // genxml: "Tiler Context" align="64"

constexpr uint64_t vertices_per_task = 64;
constexpr uint64_t vertices_per_primitive = 3;
constexpr uint64_t chunk_header_bytes = 64;  // struct panthor_heap_chunk_header
constexpr unsigned chunk_limit = 4096;       // a list that is longer is a loop

uint64_t pointer(const cs::IteratorJob& job) {
  return job.registers[pointer_register] | static_cast<uint64_t>(job.registers[pointer_register + 1]) << 32;
}

uint64_t vertex_count(const cs::IteratorJob& job) {
  if (isa::opcode_of(job.instruction) == static_cast<uint8_t>(isa::Opcode::run_fullscreen))
    return vertices_per_primitive;
  return uint64_t{job.registers[index_count_register]} * std::max(job.registers[instance_count_register], 1u);
}

/// Bytes the heap descriptor offers: its own range, then the chunks linked behind its base. A chunk pointer
/// has the VA in [63:12] and the size in pages in [11:0].
AccessResult heap_capacity(GuestReader& reader, const TilerHeapDescriptor& heap, uint64_t& bytes) {
  bytes = heap.top > heap.bottom ? heap.top - heap.bottom : 0;
  uint64_t chunk = heap.base & ~(page_size - 1);
  for (unsigned i = 0; chunk && i < chunk_limit; ++i) {
    std::array<uint32_t, 2> next{};
    if (const AccessResult result = reader.read(chunk, next); result != AccessResult::ok) return result;
    const uint64_t size = (next[0] & (page_size - 1)) * page_size;
    chunk = (next[0] | static_cast<uint64_t>(next[1]) << 32) & ~(page_size - 1);
    if (size > chunk_header_bytes) bytes += size - chunk_header_bytes;
  }
  return AccessResult::ok;
}

uint64_t beyond(uint64_t bytes, uint64_t capacity) {
  return bytes > capacity ? bytes - capacity : 0;
}

}  // namespace

Plan plan_tiling(const cs::IteratorJob& job, const Translate& translate, uint64_t first_task) {
  GuestReader reader(translate);
  const uint64_t context_va = pointer(job);
  if (context_va % descriptor_alignment) return Plan::failed(ExceptionCode::data_invalid_fault, context_va);
  std::array<uint32_t, TilerContext::words> context_words{};
  if (const AccessResult result = reader.read(context_va, context_words); result != AccessResult::ok)
    return Plan::failed_access(result, reader.failed_va);
  const TilerContext context(context_words);

  std::array<uint32_t, TilerHeapDescriptor::words> heap_words{};
  if (const AccessResult result = reader.read(context.heap, heap_words); result != AccessResult::ok)
    return Plan::failed_access(result, reader.failed_va);
  const std::optional<TilerHeapDescriptor> heap = TilerHeapDescriptor::parse(heap_words);
  if (!heap) return Plan::failed(ExceptionCode::data_invalid_fault, context.heap);
  uint64_t capacity = 0;
  if (const AccessResult result = heap_capacity(reader, *heap, capacity); result != AccessResult::ok)
    return Plan::failed_access(result, reader.failed_va);

  const uint64_t vertices = vertex_count(job);
  Plan plan{.tasks = vertices / vertices_per_task + (vertices % vertices_per_task != 0),
            .ns_per_task = task_launch_ns + vertices_per_task / warp_threads * vertex_warp_ns};
  // A job that goes on after a preemption has counted its memory already.
  if (first_task) return plan;
  const Mmu::Lookup at = translate(context_va + TilerContext::used_offset, Access::write);
  if (at.result != AccessResult::ok)
    return Plan::failed_access(at.result, context_va + TilerContext::used_offset);
  const uint64_t used = context.used + vertices / vertices_per_primitive * heap_bytes_per_primitive;
  plan.heap_bytes = beyond(used, capacity) - beyond(context.used, capacity);
  auto* words = reinterpret_cast<uint32_t*>(at.host);  // both in one page, see the alignment check
  std::atomic_ref<uint32_t>(words[0]).store(static_cast<uint32_t>(used), std::memory_order_relaxed);
  std::atomic_ref<uint32_t>(words[1]).store(static_cast<uint32_t>(used >> 32), std::memory_order_relaxed);
  return plan;
}

Plan plan_fragment(const cs::IteratorJob& job, const Translate& translate, uint64_t) {
  GuestReader reader(translate);
  std::array<uint32_t, Framebuffer::words> words{};
  if (const AccessResult result = reader.read(pointer(job) & ~framebuffer_tag_mask, words);
      result != AccessResult::ok)
    return Plan::failed_access(result, reader.failed_va);
  const Framebuffer framebuffer(words);
  const uint64_t pixels = uint64_t{framebuffer.width} * framebuffer.height;
  constexpr uint64_t full_tile_pixels = 256;
  return {.tasks = std::max<uint64_t>(pixels / framebuffer.tile_pixels, 1),
          .ns_per_task = std::max<uint64_t>(tile_ns * framebuffer.tile_pixels / full_tile_pixels, 1)};
}

Plan plan_finish_tiling(const cs::IteratorJob&, const Translate&, uint64_t) {
  return {.tasks = 1, .ns_per_task = task_launch_ns};
}

}  // namespace vgpu::shader
