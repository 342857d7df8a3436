// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>
#include <string>

namespace harness {

/// What a benchmark reads before and after a batch.
class BenchClock {
 public:
  virtual ~BenchClock() = default;
  /// Nanoseconds from any origin.
  [[nodiscard]] virtual uint64_t now_ns() = 0;
  /// As BenchRecord::clock.
  [[nodiscard]] virtual const char* name() const noexcept = 0;
};

/// CLOCK_MONOTONIC.
[[nodiscard]] std::unique_ptr<BenchClock> make_wall_clock();

/// The CPU time of the guest's kernel on its host, asked of the virtual GPU (its control command "cputime"):
/// neither other programs of the host nor the virtual GPU count. Throws std::system_error where there is
/// none.
[[nodiscard]] std::unique_ptr<BenchClock> make_guest_cpu_clock();

/// "wall", "guest-cpu", or "auto": guest-cpu where there is a virtual GPU. Throws std::invalid_argument for
/// another name, and for "wall" in a guest with virtual time.
[[nodiscard]] std::unique_ptr<BenchClock> make_bench_clock(const std::string& name);

}  // namespace harness
