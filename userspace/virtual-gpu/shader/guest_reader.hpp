// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <cstdint>
#include <span>

#include "shader/types.hpp"

namespace vgpu::shader {

/// Reads 32-bit words through the MMU. `failed_va` is where the first failed access was.
class GuestReader {
 public:
  explicit GuestReader(const Translate& translate) : translate_(translate) {}

  /// `va` must be a multiple of 4; a misaligned one is aborted.
  AccessResult read(uint64_t va, std::span<uint32_t> words) {
    for (uint32_t& word : words) {
      failed_va = va;
      if (va % 4) return AccessResult::aborted;
      const Mmu::Lookup at = translate_(va, Access::read);
      if (at.result != AccessResult::ok) return at.result;
      word = std::atomic_ref<uint32_t>(*reinterpret_cast<uint32_t*>(at.host)).load(std::memory_order_relaxed);
      va += 4;
    }
    return AccessResult::ok;
  }
  /// Only checks that [va, va + bytes) can be read, page by page.
  AccessResult probe(uint64_t va, uint64_t bytes, Access access = Access::read) {
    for (const uint64_t end = va + bytes; va < end;) {
      failed_va = va;
      const Mmu::Lookup at = translate_(va, access);
      if (at.result != AccessResult::ok) return at.result;
      va += at.contiguous ? at.contiguous : 1;
    }
    return AccessResult::ok;
  }

  uint64_t failed_va = 0;

 private:
  const Translate& translate_;
};

}  // namespace vgpu::shader
