// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>

#include "core/clock.hpp"
#include "transport/calendar.hpp"
#include "transport/guest_link.hpp"
#include "transport/reactor.hpp"

namespace vgpu::transport {

/// Drives the device and the guest's time together: nothing happens in between, so runs repeat exactly.
///
/// The guest runs until it waits; a kick is served before the guest goes on. While it waits, whoever is due
/// first runs: an event of the model, or the guest. As long as the model has nothing to do the guest moves
/// time by itself: it spends thousands of steps of a nanosecond in cpu_relax().
class VirtualTimeLoop {
 public:
  struct Options {
    /// Never let virtual time run ahead of the host's: for a person at a terminal in the guest.
    bool pace = false;
  };

  VirtualTimeLoop(GuestLink& link, Calendar& calendar, Reactor& reactor, VirtualClock& clock,
                  Options options);

  /// Until the guest is gone or the reactor is stopped. Throws ProtocolError.
  void run();

 private:
  void settle();
  void kicked();
  [[nodiscard]] std::optional<uint64_t> free_until() const;
  void step();
  bool wait_for_host(uint64_t virtual_ns);

  GuestLink& link_;
  Calendar& calendar_;
  Reactor& reactor_;
  VirtualClock& clock_;
  Options options_;
  WallClock wall_;
  uint64_t wall_start_ns_;
};

}  // namespace vgpu::transport
