// SPDX-License-Identifier: MIT
#pragma once

#include <sys/types.h>

#include <string>

#include "jobs/shared.hpp"
#include "ladder/rung_process.hpp"
#include "stress/plan.hpp"

namespace harness {

/// A worker in a process of its own. It is killed and reaped when the object goes; one that does not die is
/// left behind.
class StressWorker {
 public:
  /// Forks. Call it while the process has no threads. Throws std::system_error.
  StressWorker(const WorkerPlan& plan, const std::string& node, std::chrono::nanoseconds deadline);
  ~StressWorker();

  StressWorker(StressWorker&&) noexcept;
  StressWorker& operator=(StressWorker&&) noexcept;
  StressWorker(const StressWorker&) = delete;
  StressWorker& operator=(const StressWorker&) = delete;

  [[nodiscard]] const WorkerPlan& plan() const noexcept { return plan_; }
  [[nodiscard]] bool has_submitted() const noexcept { return board_->submits != 0; }
  [[nodiscard]] bool in_flight() const noexcept { return board_->in_flight; }
  /// It saw something wrong and says so.
  [[nodiscard]] bool failed() const noexcept { return board_->rung.outcome == RungBoard::Outcome::failed; }
  /// errno of what it saw, 0 for none.
  [[nodiscard]] int error() const noexcept { return board_->rung.facts.error; }
  /// Reaps it if it has ended; true when it has.
  [[nodiscard]] bool ended();

  /// SIGKILL, then at most `patience` for its end. False: it does not die.
  [[nodiscard]] bool kill(std::chrono::nanoseconds patience);

  /// What is known about it, as a rung that failed; `error` if it said nothing itself.
  [[nodiscard]] RungResult describe(const std::string& error) const;

 private:
  WorkerPlan plan_;
  Shared<WorkerBoard> board_;
  pid_t pid_ = -1;
};

}  // namespace harness
