// SPDX-License-Identifier: MIT
#include "transport/real_time_loop.hpp"

#include <unistd.h>

namespace vgpu::transport {
namespace {

/// However busy the device is, the sockets get their turn this often.
constexpr uint64_t socket_interval_ns = 1'000'000;

}  // namespace

void RealTimeLoop::watch_kicks() {
  for (size_t i = 0; i < watched_kicks_.size(); ++i) {
    const int fd = link_.vhost().kick_fd(i);
    if (watched_kicks_[i] >= 0) reactor_.remove(watched_kicks_[i]);
    watched_kicks_[i] = fd;
    if (fd < 0) continue;
    reactor_.add(fd, [fd] {
      uint64_t kicks = 0;
      [[maybe_unused]] const ssize_t bytes = ::read(fd, &kicks, sizeof kicks);
    });
  }
}

void RealTimeLoop::sleep() {
  Virtqueue& cmd = link_.vhost().queue(GuestLink::cmd_queue);
  if (cmd.ready()) {
    cmd.suppress_kicks(false);
    if (link_.turn()) return;  // came in just before the guest saw that kicks are wanted
  }
  if (before_sleep_) before_sleep_();
  std::optional<uint64_t> timeout;
  if (const auto deadline = link_.device().events().next_deadline_ns()) {
    const uint64_t now = clock_.now_ns();
    timeout = *deadline > now ? *deadline - now : 0;
  }
  reactor_.poll(timeout);
}

void RealTimeLoop::run() {
  link_.vhost().on_change([this] { watch_kicks(); });
  uint64_t last_activity = clock_.now_ns(), last_poll = last_activity;
  while (!reactor_.stopped()) {
    const bool active = link_.turn();
    const uint64_t now = clock_.now_ns();
    if (active) last_activity = now;
    if (now - last_poll > socket_interval_ns) {
      reactor_.poll(0);
      last_poll = now;
      continue;
    }
    Virtqueue& cmd = link_.vhost().queue(GuestLink::cmd_queue);
    if (cmd.ready() && static_cast<int64_t>(now - last_activity) < spin_ns_) {
      cmd.suppress_kicks(true);
      continue;
    }
    if (active) continue;
    sleep();
    last_activity = last_poll = clock_.now_ns();
  }
  link_.vhost().on_change(nullptr);
}

}  // namespace vgpu::transport
