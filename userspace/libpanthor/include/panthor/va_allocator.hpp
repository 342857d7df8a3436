// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>

namespace panthor {

/// Hands out GPU virtual addresses of one range, lowest fit first. Knows nothing of what is bound. Not
/// thread-safe.
class VaAllocator {
 public:
  /// Manages [start, start + size). Throws std::invalid_argument when the end does not fit 64 bits.
  VaAllocator(uint64_t start, uint64_t size);

  /// Lowest free address of `size` bytes, a multiple of `alignment` (a power of two). Throws
  /// std::invalid_argument for size 0 or a bad alignment, std::bad_alloc when nothing fits.
  [[nodiscard]] uint64_t allocate(uint64_t size, uint64_t alignment = 4096);

  /// Takes [va, va + size) out of what allocate() may return. Throws std::invalid_argument when any of it is
  /// taken.
  void reserve(uint64_t va, uint64_t size);

  /// Gives [va, va + size) back. Throws std::invalid_argument when any of it is free or outside the range.
  void release(uint64_t va, uint64_t size);

  [[nodiscard]] uint64_t free_bytes() const noexcept;

 private:
  using Holes = std::map<uint64_t, uint64_t>;  // start -> end

  void take(Holes::iterator hole, uint64_t va, uint64_t end);

  uint64_t start_;
  uint64_t end_;
  Holes holes_;
};

}  // namespace panthor
