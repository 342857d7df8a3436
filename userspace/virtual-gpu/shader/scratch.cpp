// SPDX-License-Identifier: MIT
#include "shader/scratch.hpp"

#include <algorithm>
#include <atomic>

namespace vgpu::shader {

AccessResult ScratchToucher::touch_range(uint64_t va, uint64_t bytes) {
  const uint64_t end = va + bytes;
  va &= ~uint64_t{3};
  while (va < end) {
    failed_va = va;
    const Mmu::Lookup at = translate_(va, Access::write);
    if (at.result != AccessResult::ok) return at.result;
    // One translation serves a whole block; the mark goes once into every page of it.
    const uint64_t block_end = std::min(end, va + std::max<uint64_t>(at.contiguous, 4));
    for (std::byte* host = at.host; va < block_end; ++pages) {
      std::atomic_ref<uint32_t>(*reinterpret_cast<uint32_t*>(host)).store(mark, std::memory_order_relaxed);
      const uint64_t step = page_size - va % page_size;
      host += step;
      va += step;
    }
  }
  return AccessResult::ok;
}

AccessResult ScratchToucher::touch(unsigned core, const Residency& resident) {
  if (storage_.tls_base && resident.threads) {
    const uint64_t slice = storage_.tls_bytes_per_thread * threads_per_core;
    const AccessResult result =
        touch_range(storage_.tls_base + core * slice, resident.threads * storage_.tls_bytes_per_thread);
    if (result != AccessResult::ok) return result;
  }
  if (storage_.wls_bytes && resident.workgroups) {
    const uint64_t slice = storage_.wls_bytes * storage_.wls_instances;
    const AccessResult result =
        touch_range(storage_.wls_base + core * slice, resident.workgroups * storage_.wls_bytes);
    if (result != AccessResult::ok) return result;
  }
  return AccessResult::ok;
}

}  // namespace vgpu::shader
