// SPDX-License-Identifier: MIT
#include "transport/peer_cpu_time.hpp"

#include <sys/socket.h>

#include <cerrno>
#include <system_error>

namespace vgpu::transport {

PeerCpuTime::PeerCpuTime(int socket) {
  ucred peer{};
  socklen_t length = sizeof peer;
  if (::getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &length) != 0)
    throw std::system_error(errno, std::generic_category(), "SO_PEERCRED");
  if (const int error = ::clock_getcpuclockid(peer.pid, &clock_); error != 0)
    throw std::system_error(error, std::generic_category(), "clock_getcpuclockid of the guest");
}

uint64_t PeerCpuTime::ns() const {
  timespec time{};
  if (::clock_gettime(clock_, &time) != 0)
    throw std::system_error(errno, std::generic_category(), "CPU time of the guest");
  return static_cast<uint64_t>(time.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(time.tv_nsec);
}

}  // namespace vgpu::transport
