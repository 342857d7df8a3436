// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <cstdint>

namespace vgpu {

/// Model time in nanoseconds since an arbitrary origin. Monotonic.
class Clock {
 public:
  virtual ~Clock() = default;
  [[nodiscard]] virtual uint64_t now_ns() const noexcept = 0;
};

/// The host's steady clock.
class WallClock final : public Clock {
 public:
  [[nodiscard]] uint64_t now_ns() const noexcept override {
    return static_cast<uint64_t>(
        std::chrono::nanoseconds(std::chrono::steady_clock::now().time_since_epoch()).count());
  }
};

/// Moves only when told to: the calendar's clock in virtual time, and the tests' clock.
class VirtualClock final : public Clock {
 public:
  [[nodiscard]] uint64_t now_ns() const noexcept override { return now_ns_; }
  /// Ignores a step backwards: model time never runs back.
  void advance_to(uint64_t ns) noexcept {
    if (ns > now_ns_) now_ns_ = ns;
  }
  void advance_by(uint64_t ns) noexcept { now_ns_ += ns; }

 private:
  uint64_t now_ns_ = 0;
};

}  // namespace vgpu
