// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/clock.hpp"
#include "transport/unique_fd.hpp"

namespace vgpu::transport {

/// The calendar of UML's external time travel, for one guest: who may run at which virtual time.
///
/// The guest asks to run at a time (REQUEST), waits (WAIT) and runs when told to (RUN). While it runs it owns
/// the time and brings ours up to date before it touches the device (UPDATE). Source:
/// include/uapi/linux/um_timetravel.h and arch/um/kernel/time.c.
class Calendar {
 public:
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
  /// Moves the clock to the requested time and lets the guest run; false when it has closed.
  bool run();

 private:
  struct Message {
    uint32_t op;
    uint32_t sequence;
    uint64_t time;
  };
  void acknowledge(const Message& message, uint64_t time);

  VirtualClock& clock_;
  UniqueFd connection_;
  std::optional<uint64_t> requested_;
  uint32_t sequence_ = 0;
  bool waiting_ = false;
  bool run_acknowledged_ = true;
};

}  // namespace vgpu::transport
