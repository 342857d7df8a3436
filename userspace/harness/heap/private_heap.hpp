// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>

namespace harness {

/// What of the GPU decides how large a scratch allocation is. Defaults: RK3588's Mali-G610 MC4.
struct ScratchGpu {
  uint64_t shader_present = 0x50005;  ///< a bit for each core that exists
  uint32_t threads_per_core = 2048;   ///< GPU_THREAD_MAX_THREADS
  [[nodiscard]] unsigned cores() const noexcept;
  /// Slices the allocation has: one for each bit up to the last core, whether a core is there or not.
  [[nodiscard]] unsigned slices() const noexcept;
};

/// A range of GPU addresses [start, end).
struct VaRange {
  uint64_t start = 32ull << 20;
  uint64_t end = 4ull << 30;
  [[nodiscard]] uint64_t bytes() const noexcept { return end - start; }
};

/// Scratch memory one thread is given: `spill_bytes` aligned to 16, then rounded up to a power of two (Mesa:
/// pan_get_total_stack_size() and its callers). 0 for 0. Throws std::invalid_argument above 64 KiB * 2048.
[[nodiscard]] uint64_t thread_scratch_bytes(uint64_t spill_bytes);
/// Scratch allocation of one command buffer (one TLS buffer): bytes a thread * threads a core * slices.
[[nodiscard]] uint64_t scratch_bytes(uint64_t spill_bytes, const ScratchGpu& gpu = {});

/// What `buffers` command buffers of one shader do to panvk's private heap.
struct HeapUse {
  uint64_t heap_bytes = 0;
  uint64_t buffer_bytes = 0;   ///< of one command buffer, whole pages
  uint64_t buffers = 0;        ///< asked for
  uint64_t fitting = 0;        ///< how many the range holds
  uint64_t full_at = 0;        ///< number (from 1) of the first that does not fit
  uint64_t pinned_bytes = 0;   ///< RAM the buffers that were asked for and fit keep: all populated at bind
  uint64_t phantom_bytes = 0;  ///< of it, in slices of cores that do not exist
  [[nodiscard]] bool full() const noexcept { return buffers > fitting; }
};

/// `other_bytes`: what else lies in the private heap (descriptor, command-stream and exec pools).
[[nodiscard]] HeapUse plan_heap(uint64_t spill_bytes, uint64_t buffers, const ScratchGpu& gpu = {},
                                const VaRange& range = {}, uint64_t other_bytes = 0);

/// "304.0 MiB"; binary units.
[[nodiscard]] std::string show_bytes(uint64_t bytes);

}  // namespace harness
