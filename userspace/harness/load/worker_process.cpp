// SPDX-License-Identifier: MIT
#include "load/worker_process.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <system_error>
#include <utility>

namespace harness {
namespace {

LoadResult failed(const std::string& why) {
  LoadResult result;
  why.copy(result.error, sizeof(result.error) - 1);
  return result;
}

[[noreturn]] void child(const LoadOptions& options, int pipe_fd) {
  const LoadResult result = run_load(options);
  // Smaller than PIPE_BUF: written whole or not at all, and a parent that is gone does not matter.
  const ssize_t written = ::write(pipe_fd, &result, sizeof(result));
  ::_exit(written == static_cast<ssize_t>(sizeof(result)) ? 0 : 1);
}

}  // namespace

WorkerProcess::WorkerProcess(const LoadOptions& options) {
  int ends[2];
  if (::pipe2(ends, 0) != 0) throw std::system_error(errno, std::generic_category(), "pipe2");
  result_pipe_.reset(ends[0]);
  panthor::UniqueFd write_end(ends[1]);
  pid_ = ::fork();
  if (pid_ < 0) throw std::system_error(errno, std::generic_category(), "fork");
  if (pid_ == 0) child(options, write_end.get());
}

WorkerProcess::~WorkerProcess() {
  if (pid_ <= 0) return;
  ::kill(pid_, SIGKILL);
  ::waitpid(pid_, nullptr, 0);
}

WorkerProcess::WorkerProcess(WorkerProcess&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)), result_pipe_(std::move(other.result_pipe_)) {}

LoadResult WorkerProcess::wait(std::chrono::steady_clock::time_point deadline) {
  pollfd waiting{.fd = result_pipe_.get(), .events = POLLIN, .revents = 0};
  int ready = 0;
  do {
    const auto left =
        std::chrono::ceil<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
    ready = ::poll(&waiting, 1, static_cast<int>(std::clamp<int64_t>(left.count(), 0, INT_MAX)));
  } while (ready < 0 && errno == EINTR);
  if (ready == 0) return failed("no result in time: the process hangs");

  LoadResult result;
  const ssize_t got = ::read(result_pipe_.get(), &result, sizeof(result));
  int status = 0;
  ::waitpid(std::exchange(pid_, -1), &status, 0);
  if (got == static_cast<ssize_t>(sizeof(result))) return result;
  if (WIFSIGNALED(status)) return failed(fmt::format("killed by signal {}", WTERMSIG(status)));
  return failed(fmt::format("exited with {} and no result", WEXITSTATUS(status)));
}

}  // namespace harness
