// SPDX-License-Identifier: MIT
#pragma once

#include <sys/types.h>

#include "recorder/recorder.hpp"

namespace preload {

/// The recorder of this process. Settings come from the environment that panthor-harness record sets:
///   PANTHOR_RECORD_FILE          where to; further processes add ".PID"
///   PANTHOR_RECORD_MAX_CONTENT   bytes; larger mappings are recorded without contents
///   PANTHOR_RECORD_CMDLINE       1: put the command line into the recording
/// Never destroyed: the program may use its nodes until its very end. A forked child gets a new one, which
/// knows nothing of what the parent had open.
class Process {
 public:
  [[nodiscard]] static Process& current() noexcept;

  /// Is `fd` tracked here? Not in a child of vfork() or clone(), which may borrow our memory.
  [[nodiscard]] bool tracks(int fd) const noexcept;

  [[nodiscard]] recording::Recorder& recorder() noexcept { return recorder_; }

  /// After open(): tells the recorder when it is a panthor node. Keeps errno.
  void opened(int fd, const char* path) noexcept;

 private:
  Process();
  static void install() noexcept;
  static void before_fork() noexcept;
  static void after_fork_in_parent() noexcept;
  static void after_fork_in_child() noexcept;

  pid_t pid_;
  std::unique_ptr<recording::Syscalls> syscalls_;
  recording::Recorder recorder_;
};

}  // namespace preload
