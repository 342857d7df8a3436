// SPDX-License-Identifier: MIT
#include "transport/reactor.hpp"

#include <poll.h>

#include <array>
#include <cerrno>
#include <system_error>
#include <vector>

namespace vgpu::transport {

size_t Reactor::poll(std::optional<uint64_t> timeout_ns) {
  std::vector<pollfd> fds;
  fds.reserve(watched_.size());
  for (const auto& [fd, callback] : watched_) fds.push_back({fd, POLLIN, 0});

  timespec timeout{};
  if (timeout_ns) {
    timeout.tv_sec = static_cast<time_t>(*timeout_ns / 1'000'000'000);
    timeout.tv_nsec = static_cast<long>(*timeout_ns % 1'000'000'000);
  }
  const int ready = ::ppoll(fds.data(), fds.size(), timeout_ns ? &timeout : nullptr, nullptr);
  if (ready < 0 && errno != EINTR) throw std::system_error(errno, std::generic_category(), "ppoll");
  if (ready <= 0) return 0;

  for (const pollfd& p : fds) {
    if (!p.revents || stopped_) continue;
    const auto it = watched_.find(p.fd);  // a callback before this one may have removed it
    if (it == watched_.end()) continue;
    const Callback callback = it->second;
    callback();
  }
  return static_cast<size_t>(ready);
}

int wait_for_either(int a, int b) {
  std::array<pollfd, 2> fds{pollfd{a, POLLIN, 0}, pollfd{b, POLLIN, 0}};
  for (;;) {
    const int ready = ::poll(fds.data(), fds.size(), -1);
    if (ready > 0) return fds[0].revents ? a : b;
    if (ready < 0 && errno != EINTR) throw std::system_error(errno, std::generic_category(), "poll");
  }
}

}  // namespace vgpu::transport
