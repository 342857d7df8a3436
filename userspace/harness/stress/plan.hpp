// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <random>

#include "stress/part.hpp"

namespace harness {

struct PlanOptions {
  uint32_t seed = 1;
  unsigned processes = 8;
  unsigned groups = 2;           ///< of a worker with many
  bool memory_pressure = false;  ///< some workers churn buffers; now and then memory gets scarce
  bool suspend = false;          ///< now and then everybody dies and the GPU is left alone
};

/// What one worker is and does, decided when it is started.
struct WorkerPlan {
  const Part* part = nullptr;
  uint32_t seed = 0;
  unsigned groups = 1;
  unsigned dies_at_call = 0;  ///< raises SIGKILL in front of so many calls of the driver; 0: does not
};

/// One step of the run: one worker dies, or all of them.
struct StressStep {
  unsigned slot = 0;                             ///< whose worker dies
  bool mid_job = false;                          ///< not before it has submitted a job
  std::chrono::microseconds delay{0};            ///< then, or from the step before
  std::optional<std::chrono::milliseconds> gap;  ///< instead: all die, and nobody uses the GPU for so long
  double hog = 0;  ///< memory gets scarce from here: this part of what is available
};

/// The decisions of a run. Each follows from the seed and the number of the step alone, so a run can begin in
/// the midst of another and does what that one did.
class Plan {
 public:
  /// How many steps a hog lives.
  static constexpr uint64_t hog_steps = 8;

  explicit Plan(const PlanOptions& options) : options_(options) {}

  [[nodiscard]] const PlanOptions& options() const noexcept { return options_; }
  /// Step `number`, from 1.
  [[nodiscard]] StressStep step(uint64_t number) const;
  /// The worker that is in `slot` in front of step `number`.
  [[nodiscard]] WorkerPlan worker(uint64_t number, unsigned slot) const;

 private:
  [[nodiscard]] std::mt19937_64 random(uint64_t number, uint32_t domain) const;

  PlanOptions options_;
};

}  // namespace harness
