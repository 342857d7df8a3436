// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ladder/process_snapshot.hpp"
#include "ladder/stage.hpp"

namespace harness {

/// What the rung's own process knows of a failure. Lives in memory shared with the ladder, so it is there
/// even when that process never returns.
struct Facts {
  int error = 0;                        ///< errno of the call that failed, 0: none did
  bool in_fence_wait = false;           ///< it was about to wait, or waits, for a fence
  bool wait_timed_out = false;          ///< the wait returned at its deadline
  bool signalled_late = false;          ///< ... and a look right after it found the fence signalled
  bool slow = false;                    ///< it signalled, but only when the driver's job timeout looked
  bool dependency_unsignalled = false;  ///< what the job waits for has not signalled
  bool has_marks = false;               ///< the stream marks its start and end in memory
  bool started = false;                 ///< the mark of its start is there
  bool finished = false;                ///< the mark of its end is there
  bool has_group = false;               ///< the fields below were read
  bool group_timed_out = false;         ///< GROUP_GET_STATE: TIMEDOUT
  bool group_fatal = false;             ///< GROUP_GET_STATE: FATAL_FAULT
  uint64_t point = 0;                   ///< timeline waits: the highest signalled point
};

/// Everything known about the rung that failed.
struct Evidence {
  Facts facts;
  bool stuck = false;                      ///< its process did not end by its deadline
  bool abandoned = false;                  ///< ... and SIGKILL did not end it either
  std::optional<ProcessSnapshot> process;  ///< of the stuck process
  std::vector<std::string> kernel_log;     ///< lines since the rung began
  bool kernel_log_readable = false;
  std::string interrupts;                    ///< how far panthor's interrupt counts moved during the rung
  std::optional<std::string> fresh_process;  ///< what a new process met afterwards; empty text: it computed
  std::optional<Facts> fresh_facts;
};

/// Decides where it stopped: the first rule of a table that fits, else `rung_stage`, the stage the rung
/// itself stands for.
[[nodiscard]] Stage infer_stage(const Evidence& evidence, Stage rung_stage);

}  // namespace harness
