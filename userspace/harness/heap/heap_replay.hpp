// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "heap/private_heap.hpp"
#include "panthor/device.hpp"

namespace harness {

/// How a replay of panvk's allocations on a device ended.
struct HeapReplay {
  uint64_t bound = 0;  ///< buffers that were created and bound
  uint64_t bound_bytes = 0;
  std::optional<uint64_t>
      resident_bytes;       ///< RAM they took, from fdinfo; nothing when the kernel does not tell
  bool range_full = false;  ///< the next one found no addresses: what panvk reports as out of device memory
  std::string error;        ///< the kernel refused instead: which call, which errno
};

/// Creates buffers of `buffer_bytes` and binds each at the lowest free address of `range`, as panvk does for
/// its private heap: the address is chosen in user space before VM_BIND. Stops at `buffers`, when no
/// address is left, or when the kernel refuses. Everything is freed at the end. `on_bound` sees the count.
[[nodiscard]] HeapReplay replay_heap(const panthor::Device& device, uint64_t buffer_bytes, uint64_t buffers,
                                     const VaRange& range, const std::function<void(uint64_t)>& on_bound);

/// The same, but the kernel chooses the addresses, in a heap of the default size, and the buffers get memory
/// when the GPU touches them. Needs VaFeatures::heap and alloc_on_fault; EOPNOTSUPP without. range_full:
/// ENOSPC.
[[nodiscard]] HeapReplay replay_kernel_heap(const panthor::Device& device, uint64_t buffer_bytes,
                                            uint64_t buffers);

/// The numbers that decide scratch sizes, as this device has them.
[[nodiscard]] ScratchGpu scratch_gpu(const panthor::Device& device);

}  // namespace harness
