// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/clock.hpp"
#include "common/unique_fd.hpp"

namespace vgpu::transport {

using common::UniqueFd;

/// The calendar of UML's external time travel, for one guest: who may run at which virtual time.
///
/// The guest asks to run at a time (REQUEST), waits (WAIT) and runs when told to (RUN). While it runs it owns
/// the time and brings ours up to date before it touches the device (UPDATE). Source:
/// include/uapi/linux/um_timetravel.h and arch/um/kernel/time.c.
class Calendar {
 public:
  /// S64_MAX: what an idle guest asks for (time_travel_sleep()).
  static constexpr uint64_t never = 0x7fff'ffff'ffff'ffff;

  explicit Calendar(VirtualClock& clock) : clock_(clock) {}

  void connect(UniqueFd connection) { connection_ = std::move(connection); }
  [[nodiscard]] bool connected() const noexcept { return static_cast<bool>(connection_); }
  [[nodiscard]] int fd() const noexcept { return connection_.get(); }

  /// Serves one message; false when the guest has closed. Throws ProtocolError for a message that makes no
  /// sense.
  bool serve();

  /// Is the guest asleep, waiting to be told to run?
  [[nodiscard]] bool guest_waits() const noexcept { return waiting_; }
  /// When it wants to run, in virtual nanoseconds; nullopt: it has nothing to do until an interrupt comes.
  [[nodiscard]] std::optional<uint64_t> requested() const noexcept { return requested_; }
  /// Moves the clock to the requested time and lets the guest run; false when it has closed. It may then move
  /// its own time on without asking, as long as it stays below `free_until` ns; nullopt: it asks for every
  /// step.
  bool run(std::optional<uint64_t> free_until);
  /// The running guest may not go as far as it was told: from `free_until` on it has to ask. Does nothing
  /// when it was not told that far. Only while the guest waits for our answer to a kick; false when it has
  /// closed.
  bool lower_free_until(uint64_t free_until);

 private:
  struct Message {
    uint32_t op;
    uint32_t sequence;
    uint64_t time;
  };
  void acknowledge(const Message& message, uint64_t time);
  bool send(uint32_t op, uint64_t time);
  bool await_acknowledgements();

  VirtualClock& clock_;
  UniqueFd connection_;
  std::optional<uint64_t> requested_;
  std::optional<uint64_t> free_until_;  ///< what the running guest was told
  uint32_t sequence_ = 0;               ///< of our last message
  uint32_t acknowledged_ = 0;           ///< of the last one it acknowledged
  bool waiting_ = false;
};

}  // namespace vgpu::transport
