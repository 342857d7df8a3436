// SPDX-License-Identifier: MIT
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "hang/workload.hpp"
#include "panthor/unique_fd.hpp"

namespace harness {

/// How a victim ended.
struct VictimEnd {
  bool failed = false;
  std::string text;  ///< why it failed; empty: its fence signalled and the job did what it should
};

/// A process that runs a workload. Killed, but not waited for, when the object goes: it may not die.
class Victim {
 public:
  /// Forks. Throws std::system_error.
  Victim(const Workload& workload, const std::string& node);
  ~Victim();
  Victim(const Victim&) = delete;
  Victim& operator=(const Victim&) = delete;

  [[nodiscard]] pid_t pid() const noexcept { return pid_; }
  /// True when the workload is prepared; false when it ended before, or `patience` is over.
  [[nodiscard]] bool wait_ready(std::chrono::milliseconds patience);
  /// The step that hangs begins.
  void go();
  /// nullopt while it runs.
  [[nodiscard]] std::optional<VictimEnd> ended();
  /// Sends SIGKILL; true when it died within `patience`.
  [[nodiscard]] bool kill(std::chrono::milliseconds patience);

 private:
  pid_t pid_ = -1;
  panthor::UniqueFd from_, to_;
  std::optional<VictimEnd> end_;
};

/// CPU time a process has used so far (utime + stime of /proc/PID/stat); 0 when it is gone.
[[nodiscard]] std::chrono::milliseconds cpu_time(pid_t pid);

}  // namespace harness
