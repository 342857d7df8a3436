// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <mutex>
#include <unordered_map>
#include <utility>

namespace panthor {

/// Counts the owners of each GEM handle of a file. The kernel gives the same handle again when a dma-buf is
/// imported that the file exported or imported before (drm_gem_prime_fd_to_handle()), and one GEM_CLOSE takes
/// it from everybody.
class GemHandles {
 public:
  /// Adds an owner to the handle `create` returns. Nothing is counted when it throws.
  template <typename Create>
  uint32_t acquire(Create&& create) {
    const std::lock_guard lock(mutex_);
    const uint32_t handle = std::forward<Create>(create)();
    ++owners_[handle];
    return handle;
  }

  /// Drops an owner of `handle`; calls `close` when it was the last.
  template <typename Close>
  void release(uint32_t handle, Close&& close) {
    const std::lock_guard lock(mutex_);
    const auto entry = owners_.find(handle);
    if (entry == owners_.end() || --entry->second != 0) return;
    owners_.erase(entry);
    std::forward<Close>(close)();
  }

 private:
  std::mutex mutex_;
  std::unordered_map<uint32_t, unsigned> owners_;
};

}  // namespace panthor
