// SPDX-License-Identifier: MIT
#include "transport/virtual_time_loop.hpp"

#include <algorithm>

namespace vgpu::transport {
namespace {

/// Turns a device may take at one instant before the guest gets its own: a model event that reschedules
/// itself for "now" must not stop time.
constexpr int max_turns = 64;

}  // namespace

VirtualTimeLoop::VirtualTimeLoop(GuestLink& link, Calendar& calendar, Reactor& reactor, VirtualClock& clock,
                                 Options options)
    : link_(link),
      calendar_(calendar),
      reactor_(reactor),
      clock_(clock),
      options_(options),
      wall_start_ns_(wall_.now_ns()) {}

void VirtualTimeLoop::settle() {
  for (int turn = 0; turn < max_turns && link_.turn(); ++turn) {
  }
}

/// How far the guest may go alone; nullopt: not at all.
std::optional<uint64_t> VirtualTimeLoop::free_until() const {
  if (options_.pace) return std::nullopt;
  return link_.device().events().next_deadline_ns().value_or(Calendar::never);
}

void VirtualTimeLoop::kicked() {
  settle();
  if (options_.pace) return;
  if (const auto deadline = link_.device().events().next_deadline_ns())
    if (!calendar_.lower_free_until(*deadline)) reactor_.stop();
}

/// False when the host's clock is not there yet (and the sockets had their turn meanwhile).
bool VirtualTimeLoop::wait_for_host(uint64_t virtual_ns) {
  const uint64_t now = wall_.now_ns(), target = wall_start_ns_ + virtual_ns;
  if (!options_.pace || target <= now) return true;
  return reactor_.poll(target - now) == 0 && wall_.now_ns() >= target;
}

void VirtualTimeLoop::step() {
  const auto deadline = link_.device().events().next_deadline_ns();
  const auto request = calendar_.requested();
  if (!deadline && !request) {
    reactor_.poll(std::nullopt);  // both sleep: only the host can wake them
    return;
  }
  const bool device_first = deadline && (!request || *deadline < *request);
  if (!wait_for_host(device_first ? *deadline : *request)) return;
  if (device_first) {
    clock_.advance_to(*deadline);
    settle();
  } else if (!calendar_.run(free_until())) {
    reactor_.stop();
  }
}

void VirtualTimeLoop::run() {
  link_.vhost().on_kick([this](size_t) { kicked(); });
  link_.vhost().on_wait([this](int fd) {
    while (wait_for_either(fd, calendar_.fd()) != fd)
      if (!calendar_.serve()) return false;
    return true;
  });
  reactor_.add(calendar_.fd(), [this] {
    if (!calendar_.serve()) reactor_.stop();
  });
  while (!reactor_.stopped()) {
    if (calendar_.guest_waits()) {
      if (reactor_.poll(0) == 0) step();
    } else {
      reactor_.poll(std::nullopt);
    }
  }
  link_.vhost().on_kick(nullptr);
  link_.vhost().on_wait(nullptr);
}

}  // namespace vgpu::transport
