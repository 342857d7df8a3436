// SPDX-License-Identifier: MIT
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>

namespace harness {

/// What the kernel says of its memory, in bytes (proc_meminfo(5), /proc/vmstat).
struct MemoryState {
  uint64_t available = 0;    ///< MemAvailable
  uint64_t swap_free = 0;    ///< SwapFree
  uint64_t swap_total = 0;   ///< SwapTotal
  uint64_t swapped_out = 0;  ///< since boot: pswpout, in bytes
};
[[nodiscard]] MemoryState read_memory_state(const std::string& proc = "/proc");

/// A process that holds memory so that there is little for others. The first to go when there is none left.
/// Killed and reaped when the object goes.
class Hog {
 public:
  /// Forks; the child touches `bytes` in its own time.
  explicit Hog(uint64_t bytes);
  ~Hog();
  Hog(const Hog&) = delete;
  Hog& operator=(const Hog&) = delete;

 private:
  pid_t pid_;
};

}  // namespace harness
