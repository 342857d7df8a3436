// SPDX-License-Identifier: MIT
#include "ladder/rung_process.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

#include "board/interrupts.hpp"
#include "jobs/shared.hpp"
#include "ladder/kernel_log.hpp"

namespace harness {
namespace {

using Clock = std::chrono::steady_clock;
using Outcome = RungBoard::Outcome;
using namespace std::chrono_literals;

/// A rung waits for at most this many fences one after the other, each with its own deadline, plus some work.
constexpr auto grace = 5s;
/// The death of a process ends its groups, each with the firmware's timeouts.
constexpr auto death_takes = 10s;

void set_error(RungBoard& board, std::string_view text) {
  board.error[text.copy(board.error, sizeof(board.error) - 1)] = 0;
}

[[noreturn]] void child(const Rung& rung, RungContext& context, RungBoard& board) {
  let_go_of_the_terminal();
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  try {
    rung.run(context);
    board.outcome = Outcome::passed;
  } catch (const RungSkipped& skipped) {
    set_error(board, skipped.what());
    board.outcome = Outcome::skipped;
  } catch (const std::system_error& error) {
    board.facts.error = error.code().value();
    const std::string_view what = error.what();
    context.step(what.substr(0, what.find('(')));  // the call that failed
    set_error(board, what);
    board.outcome = Outcome::failed;
  } catch (const std::exception& error) {
    set_error(board, error.what());
    board.outcome = Outcome::failed;
  }
  ::_exit(0);
}

void collect(RungResult& result, const RungBoard& board) {
  result.outcome = board.outcome;
  result.waiting_for = board.waiting_for;
  result.error = board.error;
  result.evidence.facts = board.facts;
}

}  // namespace

void let_go_of_the_terminal() noexcept {
  const panthor::UniqueFd null(::open("/dev/null", O_RDWR | O_CLOEXEC));
  if (!null) return;
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) (void)::dup2(null.get(), fd);
}

bool reap(pid_t pid, std::chrono::nanoseconds patience) {
  // A file descriptor of the process becomes readable when it ends (Linux 5.3).
  const panthor::UniqueFd process(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
  const auto end = Clock::now() + patience;
  for (;;) {
    const pid_t got = ::waitpid(pid, nullptr, WNOHANG);
    if (got == pid || (got < 0 && errno == ECHILD)) return true;
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - Clock::now());
    if (left <= 0ms) return false;
    pollfd waiting{.fd = process.get(), .events = POLLIN, .revents = 0};
    (void)::poll(&waiting, 1, static_cast<int>(std::min<int64_t>(left.count(), process ? 1000 : 2)));
  }
}

RungResult run_rung(const Rung& rung, const std::string& node, std::chrono::nanoseconds deadline) {
  RungResult result;
  result.name = rung.name;
  result.description = rung.description;

  const Shared<RungBoard> shared;
  RungContext context(node, deadline, shared.get());
  KernelLog log;
  const InterruptCounts before = read_interrupts();
  const auto start = Clock::now();

  const pid_t pid = ::fork();
  if (pid < 0) throw std::system_error(errno, std::generic_category(), "fork");
  if (pid == 0) child(rung, context, shared.get());

  bool ended = reap(pid, deadline + grace + std::chrono::seconds(rung.extra_seconds));
  collect(result, shared.get());
  if (!ended) {
    result.evidence.process = snapshot_process(pid);
    // A child that already has its verdict is only slow to die: its exit closes the device.
    const bool had_verdict = result.outcome != Outcome::running;
    ::kill(pid, SIGKILL);
    ended = reap(pid, death_takes);
    result.evidence.abandoned = !ended;
    result.evidence.stuck = true;
    result.outcome = Outcome::failed;
    if (had_verdict) {
      result.evidence.facts.in_fence_wait = false;
      result.error += fmt::format("{}its process does not exit", result.error.empty() ? "" : "; ");
    }
    if (result.error.empty()) result.error = fmt::format("{}: does not come back", result.waiting_for);
  } else if (result.outcome == Outcome::running) {
    result.outcome = Outcome::failed;
    result.error = fmt::format("{}: its process died", result.waiting_for);
  }
  result.duration = Clock::now() - start;
  result.evidence.kernel_log = log.drain();
  if (result.passed() && !rung.forbidden_log.empty())
    for (const std::string& line : result.evidence.kernel_log)
      if (line.find(rung.forbidden_log) != std::string::npos) {
        result.outcome = Outcome::failed;
        result.error = "the kernel says: " + line;
        break;
      }
  result.evidence.kernel_log_readable = log.readable();
  result.evidence.interrupts = describe_change(before, read_interrupts());
  result.stage = infer_stage(result.evidence, rung.stage);
  return result;
}

}  // namespace harness
