// SPDX-License-Identifier: MIT
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>

namespace harness {

/// What /proc says about a process that does not come back (proc(5)). Text that may not be read is empty:
/// `stack` needs CAP_SYS_ADMIN.
struct ProcessSnapshot {
  pid_t pid = 0;
  char state = '?';     ///< R, S, D, Z ... ; D: SIGKILL has to wait
  std::string wchan;    ///< kernel function it sleeps in
  std::string syscall;  ///< number and arguments, or "running"
  std::string stack;    ///< kernel stack, one function a line
};

/// Reads `pid` below `proc`.
[[nodiscard]] ProcessSnapshot snapshot_process(pid_t pid, const std::filesystem::path& proc = "/proc");

}  // namespace harness
