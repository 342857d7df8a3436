// SPDX-License-Identifier: MIT
#pragma once

#include <sys/types.h>

#include <string>

#include "channel/job.hpp"
#include "common/unique_fd.hpp"

namespace guests::agent {

using common::UniqueFd;

/// The one command of this guest, and the agent's ends of its standard streams.
struct Command {
  pid_t pid = -1;
  UniqueFd input;   ///< to its standard input; empty unless the input is live
  UniqueFd output;  ///< its standard output, or its terminal
  UniqueFd error;   ///< its standard error; empty with a terminal
};

/// Starts the job's command in its own session. `input_file` is its standard input when job.input is `file`.
/// A command that cannot be executed exits with 127 (not found) or 126, as from a shell, with a line on its
/// standard error. Throws std::system_error when there is no process to be had.
[[nodiscard]] Command start_command(const Job& job, UniqueFd input_file);

void set_window_size(const Command& command, uint32_t rows, uint32_t columns);

}  // namespace guests::agent
