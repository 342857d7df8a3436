// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace vgpu {

/// Guest physical memory as the GPU sees it. The transport owns the mapping; the model only asks for spans.
class Memory {
 public:
  virtual ~Memory() = default;

  /// Host view of guest physical [pa, pa + len) in bytes; empty when any byte of it is not RAM or len is 0.
  [[nodiscard]] virtual std::span<std::byte> span(uint64_t pa, uint64_t len) noexcept = 0;
};

/// RAM on the host heap, for tests and fuzzers: [base, base + size).
class HeapMemory final : public Memory {
 public:
  HeapMemory(uint64_t base, uint64_t size) : base_(base), bytes_(size) {}

  [[nodiscard]] std::span<std::byte> span(uint64_t pa, uint64_t len) noexcept override {
    if (len == 0 || pa < base_ || len > bytes_.size() || pa - base_ > bytes_.size() - len) return {};
    return {bytes_.data() + (pa - base_), static_cast<size_t>(len)};
  }

 private:
  uint64_t base_;
  std::vector<std::byte> bytes_;
};

}  // namespace vgpu
