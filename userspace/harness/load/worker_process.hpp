// SPDX-License-Identifier: MIT
#pragma once

#include <sys/types.h>

#include <chrono>

#include "load/worker.hpp"
#include "panthor/unique_fd.hpp"

namespace harness {

/// A load in a child process. The child is killed and reaped when the object goes.
class WorkerProcess {
 public:
  /// Forks and runs `options` there. Call it before any thread exists. Throws std::system_error.
  explicit WorkerProcess(const LoadOptions& options);
  ~WorkerProcess();

  WorkerProcess(WorkerProcess&& other) noexcept;
  WorkerProcess& operator=(WorkerProcess&&) = delete;
  WorkerProcess(const WorkerProcess&) = delete;
  WorkerProcess& operator=(const WorkerProcess&) = delete;

  [[nodiscard]] pid_t pid() const noexcept { return pid_; }

  /// Waits until `deadline` for the child's result. A child that dies or is late gives a result whose error
  /// says so; a late one is killed.
  [[nodiscard]] LoadResult wait(std::chrono::steady_clock::time_point deadline);

 private:
  pid_t pid_ = -1;
  panthor::UniqueFd result_pipe_;
};

}  // namespace harness
