// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <string>

#include "board/board_tree.hpp"

namespace harness {

/// Runtime power management of the GPU as sysfs shows it (Documentation/ABI/testing/sysfs-devices-power).
class GpuPower {
 public:
  explicit GpuPower(const BoardTree& board = {});

  /// The kernel suspends the GPU when it is idle: power/control is "auto".
  [[nodiscard]] bool may_suspend() const { return board_.text(directory_ + "control") == "auto"; }
  /// Writes "auto" or "on" to power/control; false when this user may not.
  [[nodiscard]] bool let_suspend(bool may) const;
  [[nodiscard]] bool suspended() const { return board_.text(directory_ + "runtime_status") == "suspended"; }
  /// Waits until it is; false when `patience` ended first.
  [[nodiscard]] bool wait_suspended(std::chrono::nanoseconds patience) const;

 private:
  BoardTree board_;
  std::string directory_;  // nothing is below it when there is no Mali
};

}  // namespace harness
