// SPDX-License-Identifier: MIT
#pragma once

#include <ctime>

#include <cstdint>

namespace vgpu::transport {

/// The CPU time of the process at the other end of a unix socket. For a UML guest that is its kernel with all
/// of its threads; the guest's own processes are other processes of the host and do not count.
class PeerCpuTime {
 public:
  /// Throws std::system_error when `socket` has no peer process that can be seen from here.
  explicit PeerCpuTime(int socket);

  /// Nanoseconds since the process began. Throws std::system_error when it is gone.
  [[nodiscard]] uint64_t ns() const;

 private:
  clockid_t clock_{};
};

}  // namespace vgpu::transport
