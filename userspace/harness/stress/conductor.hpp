// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <optional>

#include "board/gpu_power.hpp"
#include "board/interrupts.hpp"
#include "ladder/kernel_log.hpp"
#include "stress/hog.hpp"
#include "stress/stress.hpp"
#include "stress/worker.hpp"

namespace harness {

/// Keeps the workers of a stress run alive, kills them by plan, and watches that what dies dies and what is
/// new computes.
class Conductor {
 public:
  explicit Conductor(const StressOptions& options);
  ~Conductor();
  Conductor(const Conductor&) = delete;
  Conductor& operator=(const Conductor&) = delete;

  /// False when the GPU is lost or has wedged too often.
  [[nodiscard]] bool step(uint64_t number);
  /// All die, and a last fresh process tries.
  void finish();
  [[nodiscard]] const StressResult& result() const noexcept { return result_; }

 private:
  void start(uint64_t number, unsigned slot);
  [[nodiscard]] bool kill_one(uint64_t number, const StressStep& step);
  [[nodiscard]] bool kill_all(uint64_t number);
  [[nodiscard]] bool bury(uint64_t number, unsigned slot);
  [[nodiscard]] bool leave_alone(uint64_t number, std::chrono::milliseconds gap);
  [[nodiscard]] bool look_around(uint64_t number);
  [[nodiscard]] bool forgive(unsigned slot);
  [[nodiscard]] bool check(uint64_t number);
  void squeeze(uint64_t number, const StressStep& step);
  [[nodiscard]] bool wedge(uint64_t number, unsigned slot, RungResult what);
  [[nodiscard]] RungResult try_afresh();
  void read_log();

  StressOptions options_;
  Plan plan_;
  StressResult result_;
  std::vector<std::optional<StressWorker>> workers_;
  KernelLog log_;
  std::vector<std::string> recent_log_;
  InterruptCounts interrupts_;
  GpuPower power_;
  bool forbid_suspend_again_ = false;
  bool exclusive_ = false;  // nobody else has the GPU open
  MemoryState memory_;
  std::optional<Hog> hog_;
  uint64_t hog_until_ = 0;
  uint64_t checked_ = 0;
};

}  // namespace harness
