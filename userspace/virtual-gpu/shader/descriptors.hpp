// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>

/// The descriptors jobs point to, as far as memory and time depend on them. Layouts: Mesa's genxml v10.xml.
namespace vgpu::shader {

/// genxml "Shader Program", 32 bytes.
struct ShaderProgram {
  static constexpr unsigned words = 8;
  uint8_t stage;              ///< 1 compute, 2 fragment, 3 vertex
  uint64_t threads_per_core;  ///< what the register allocation leaves room for
  uint64_t binary;            ///< GPU VA of the first instruction
  /// nullopt when the words are not a shader descriptor.
  static std::optional<ShaderProgram> parse(std::span<const uint32_t, words> word);
};

/// genxml "Local Storage", 32 bytes: scratch memory of threads (TLS) and workgroups (WLS).
struct LocalStorage {
  static constexpr unsigned words = 8;
  uint64_t tls_base = 0;              ///< GPU VA; 0: no TLS
  uint64_t tls_bytes_per_thread = 0;  ///< a power of two, at least 16
  uint64_t wls_base = 0;              ///< GPU VA; meaningless when wls_instances is 0
  uint64_t wls_instances = 0;         ///< workgroups a core has room for
  uint64_t wls_bytes = 0;             ///< of one instance
  static LocalStorage parse(std::span<const uint32_t, words> word);
};

/// genxml "Compute size workgroup": register r33.
struct WorkgroupSize {
  uint32_t x, y, z;
  explicit WorkgroupSize(uint32_t word);
  [[nodiscard]] uint64_t threads() const noexcept { return uint64_t{x} * y * z; }
};

/// genxml "Tiler Context", its first 24 words, and the model's use of the private state behind them.
struct TilerContext {
  static constexpr unsigned words = 26;
  static constexpr uint64_t used_offset =
      24 * 4;     ///< bytes of heap used so far, in "Private state" (assumed)
  uint64_t heap;  ///< GPU VA of the Tiler Heap descriptor
  uint64_t used;  ///< bytes
  explicit TilerContext(std::span<const uint32_t, words> word);
};

/// genxml "Tiler Heap".
struct TilerHeapDescriptor {
  static constexpr unsigned words = 8;
  uint64_t size, base, bottom, top;
  /// nullopt when the words are not a tiler-heap buffer descriptor.
  static std::optional<TilerHeapDescriptor> parse(std::span<const uint32_t, words> word);
};

/// genxml "Framebuffer Parameters", the words that say how many tiles there are.
struct Framebuffer {
  static constexpr unsigned words = 12;
  uint32_t width, height;  ///< pixels
  uint64_t tile_pixels;    ///< "Effective Tile Size"
  explicit Framebuffer(std::span<const uint32_t, words> word);
};

}  // namespace vgpu::shader
