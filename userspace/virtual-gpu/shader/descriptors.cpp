// SPDX-License-Identifier: MIT
#include "shader/descriptors.hpp"

#include <algorithm>

#include "shader/types.hpp"

namespace vgpu::shader {
namespace {

constexpr uint32_t bits(uint32_t word, unsigned start, unsigned width) {
  return word >> start & ((uint32_t{1} << width) - 1);
}
constexpr uint64_t pair(uint32_t low, uint32_t high) {
  return low | static_cast<uint64_t>(high) << 32;
}

constexpr uint32_t type_shader = 8, type_buffer = 9;  // genxml "Descriptor Type"
constexpr uint32_t buffer_tiler_heap = 2;             // genxml "Buffer Type"
constexpr uint32_t registers_64 = 0;                  // genxml "Shader Register Allocation"
constexpr uint32_t no_workgroup_memory = 31;          // genxml "WLS Instances" 0x80000000, log2
constexpr uint32_t address_packed = 1;                // genxml "Address Mode"

}  // namespace

std::optional<ShaderProgram> ShaderProgram::parse(std::span<const uint32_t, words> word) {
  if (bits(word[0], 0, 4) != type_shader) return std::nullopt;
  return ShaderProgram{.stage = static_cast<uint8_t>(bits(word[0], 4, 4)),
                       .threads_per_core = bits(word[0], 30, 2) == registers_64
                                               ? vgpu::shader::threads_per_core / 2
                                               : vgpu::shader::threads_per_core,
                       .binary = pair(word[2], word[3])};
}

LocalStorage LocalStorage::parse(std::span<const uint32_t, words> word) {
  LocalStorage out;
  const uint64_t base = pair(word[2], bits(word[3], 0, 16));
  out.tls_base = bits(word[3], 28, 4) == address_packed ? base << 8 : base;
  out.tls_bytes_per_thread = uint64_t{16} << bits(word[0], 0, 5);
  if (const uint32_t instances = bits(word[1], 0, 5); instances != no_workgroup_memory) {
    out.wls_instances = uint64_t{1} << instances;
    // Mesa sets scale = log2(size) + 1 and a base of 0; the base then adds quarters (assumed).
    const uint32_t scale = bits(word[1], 8, 5);
    out.wls_bytes = scale ? (uint64_t{1} << (scale - 1)) * (4 + bits(word[1], 5, 2)) / 4 : 0;
    out.wls_base = pair(word[4], word[5]);
  }
  return out;
}

WorkgroupSize::WorkgroupSize(uint32_t word)
    : x(bits(word, 0, 10) + 1), y(bits(word, 10, 10) + 1), z(bits(word, 20, 10) + 1) {}

TilerContext::TilerContext(std::span<const uint32_t, words> word)
    : heap(pair(word[6], word[7])), used(pair(word[24], word[25])) {}

std::optional<TilerHeapDescriptor> TilerHeapDescriptor::parse(std::span<const uint32_t, words> word) {
  if (bits(word[0], 0, 4) != type_buffer || bits(word[0], 4, 4) != buffer_tiler_heap) return std::nullopt;
  return TilerHeapDescriptor{.size = word[1],
                             .base = pair(word[2], word[3]),
                             .bottom = pair(word[4], word[5]),
                             .top = pair(word[6], word[7])};
}

Framebuffer::Framebuffer(std::span<const uint32_t, words> word)
    : width(bits(word[8], 0, 16) + 1),
      height(bits(word[8], 16, 16) + 1),
      tile_pixels(std::max(uint64_t{1} << bits(word[11], 9, 4), uint64_t{16})) {}

}  // namespace vgpu::shader
