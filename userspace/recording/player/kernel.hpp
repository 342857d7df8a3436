// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace recording {

/// What the player needs of the system; a fake one makes it testable without a device. Errors are errnos.
class Kernel {
 public:
  virtual ~Kernel() = default;

  /// Opens the render node the replay runs on. Throws std::system_error.
  [[nodiscard]] virtual int open_node() = 0;
  virtual void close(int fd) = 0;
  /// -1 when it fails.
  [[nodiscard]] virtual int duplicate(int fd) = 0;
  /// 0 or errno; not restarted.
  [[nodiscard]] virtual int ioctl(int fd, uint32_t request, void* argument) = 0;
  /// Null when it fails.
  [[nodiscard]] virtual std::byte* map(int fd, uint64_t offset, uint64_t length, uint32_t protection,
                                       int& error) = 0;
  virtual void unmap(std::byte* address, uint64_t length) = 0;
  /// CLOCK_MONOTONIC.
  [[nodiscard]] virtual uint64_t now_ns() = 0;
  virtual void sleep_until(uint64_t time_ns) = 0;
  /// An address at which reads and writes fault.
  [[nodiscard]] virtual uint64_t unmapped_address() = 0;
};

/// This machine's. `node` empty: the first render node whose driver is panthor. Throws
/// std::system_error(ENODEV).
[[nodiscard]] std::unique_ptr<Kernel> make_kernel(const std::string& node);

}  // namespace recording
