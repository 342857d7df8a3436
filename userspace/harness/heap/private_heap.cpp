// SPDX-License-Identifier: MIT
#include "heap/private_heap.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <iterator>
#include <stdexcept>

namespace harness {
namespace {

constexpr uint64_t stack_alignment = 16;
constexpr uint64_t page = 4096;
constexpr uint64_t largest_spill = 128ull << 20;

constexpr uint64_t align(uint64_t value, uint64_t to) {
  return (value + to - 1) / to * to;
}

}  // namespace

unsigned ScratchGpu::cores() const noexcept {
  return static_cast<unsigned>(std::popcount(shader_present));
}

unsigned ScratchGpu::slices() const noexcept {
  return static_cast<unsigned>(std::bit_width(shader_present));
}

uint64_t thread_scratch_bytes(uint64_t spill_bytes) {
  if (spill_bytes > largest_spill)
    throw std::invalid_argument(
        fmt::format("{} bytes of scratch a thread: at most {} make sense", spill_bytes, largest_spill));
  return spill_bytes == 0 ? 0 : std::bit_ceil(align(spill_bytes, stack_alignment));
}

uint64_t scratch_bytes(uint64_t spill_bytes, const ScratchGpu& gpu) {
  return thread_scratch_bytes(spill_bytes) * gpu.threads_per_core * gpu.slices();
}

HeapUse plan_heap(uint64_t spill_bytes, uint64_t buffers, const ScratchGpu& gpu, const VaRange& range,
                  uint64_t other_bytes) {
  if (range.end <= range.start) throw std::invalid_argument("the heap's end is not above its start");
  if (gpu.slices() == 0) throw std::invalid_argument("a GPU without shader cores has no scratch memory");
  HeapUse use;
  use.heap_bytes = range.bytes();
  use.buffer_bytes = align(scratch_bytes(spill_bytes, gpu), page);
  use.buffers = buffers;
  const uint64_t room = use.heap_bytes - std::min(other_bytes, use.heap_bytes);
  use.fitting = use.buffer_bytes == 0 ? buffers : room / use.buffer_bytes;
  use.full_at = use.fitting + 1;
  use.pinned_bytes = std::min(buffers, use.fitting) * use.buffer_bytes;
  use.phantom_bytes = use.pinned_bytes / gpu.slices() * (gpu.slices() - gpu.cores());
  return use;
}

std::string show_bytes(uint64_t bytes) {
  constexpr const char* units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  auto value = static_cast<double>(bytes);
  unsigned unit = 0;
  constexpr double next_unit_at = 10 * 1024;  // 4064 MiB says more than 4.0 GiB
  for (; value >= next_unit_at && unit + 1 < std::size(units); ++unit) value /= 1024;
  return unit == 0 ? fmt::format("{} B", bytes) : fmt::format("{:.1f} {}", value, units[unit]);
}

}  // namespace harness
