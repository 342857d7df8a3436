// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <unordered_map>
#include <utility>

#include "core/clock.hpp"

namespace vgpu {

/// Everything the model does later: power transitions, flush completions, CS slices, firmware timers.
/// Events due at the same nanosecond run in the order they were scheduled, so a virtual-time run is reproducible.
class EventQueue {
 public:
  using Id = uint64_t;
  using Action = std::function<void()>;

  explicit EventQueue(const Clock& clock) : clock_(clock) {}
  EventQueue(const EventQueue&) = delete;
  EventQueue& operator=(const EventQueue&) = delete;

  [[nodiscard]] uint64_t now_ns() const noexcept { return clock_.now_ns(); }

  Id at(uint64_t when_ns, Action action);
  Id after(uint64_t delay_ns, Action action) { return at(clock_.now_ns() + delay_ns, std::move(action)); }

  /// Harmless for an event that has run or was cancelled already, and for Id 0.
  void cancel(Id id) noexcept;

  /// When the earliest pending event is due, in model nanoseconds; nullopt when nothing is pending.
  [[nodiscard]] std::optional<uint64_t> next_deadline_ns() const noexcept;

  /// Runs what is due at the current model time, including what those events schedule for now, but at most
  /// `limit` events: a transport must get its turn even when an event reschedules itself for "now".
  /// Returns how many ran.
  size_t run_due(size_t limit = 64);

 private:
  using Key = std::pair<uint64_t, Id>;
  const Clock& clock_;
  std::map<Key, Action> pending_;
  std::unordered_map<Id, uint64_t> due_at_;
  Id next_id_ = 1;
};

}  // namespace vgpu
