// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <chrono>
#include <functional>
#include <utility>

#include "core/clock.hpp"
#include "transport/guest_link.hpp"
#include "transport/reactor.hpp"

namespace vgpu::transport {

/// Drives the device by the host's clock. Sleeps when there is nothing to do; after an activity it first
/// spins for a moment, because a register round trip costs a microsecond to a spinning device and a hundred
/// to a sleeping one.
class RealTimeLoop {
 public:
  RealTimeLoop(GuestLink& link, Reactor& reactor, const Clock& clock, std::chrono::microseconds spin,
               std::function<void()> before_sleep)
      : link_(link),
        reactor_(reactor),
        clock_(clock),
        before_sleep_(std::move(before_sleep)),
        spin_ns_(std::chrono::nanoseconds(spin).count()) {}

  /// Until the guest is gone or the reactor is stopped. Throws ProtocolError.
  void run();

 private:
  void watch_kicks();
  void sleep();

  GuestLink& link_;
  Reactor& reactor_;
  const Clock& clock_;
  std::function<void()> before_sleep_;
  int64_t spin_ns_;
  std::array<int, GuestLink::queue_count> watched_kicks_{-1, -1};
};

}  // namespace vgpu::transport
