// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <string>

#include "ladder/rung.hpp"

namespace harness {

/// How one rung ended.
struct RungResult {
  std::string name;
  std::string description;
  RungBoard::Outcome outcome = RungBoard::Outcome::running;  ///< running: it did not end
  std::chrono::nanoseconds duration{0};
  std::string waiting_for;  ///< the step it was in
  std::string error;        ///< why it failed or was skipped
  Stage stage = Stage::ioctl;
  Evidence evidence;

  [[nodiscard]] bool passed() const noexcept { return outcome == RungBoard::Outcome::passed; }
  [[nodiscard]] bool skipped() const noexcept { return outcome == RungBoard::Outcome::skipped; }
};

/// Runs `rung` in a child process and comes back in bounded time, whatever the child does: at `deadline` for
/// each wait the child gives up by itself; a while later it is killed; one that does not die is left behind
/// and named. Call it while the process has no threads. Throws std::system_error when it cannot fork.
[[nodiscard]] RungResult run_rung(const Rung& rung, const std::string& node,
                                  std::chrono::nanoseconds deadline);

/// For a child that may have to be left behind: it must not keep open what its parent is read from, a pipe or
/// an ssh session.
void let_go_of_the_terminal() noexcept;

/// Waits until `pid` has ended (and reaps it) or `patience` is over; true when it ended.
[[nodiscard]] bool reap(pid_t pid, std::chrono::nanoseconds patience);

}  // namespace harness
