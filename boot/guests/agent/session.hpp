// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>

#include "agent/command.hpp"
#include "agent/line.hpp"
#include "channel/job.hpp"

namespace guests::agent {

/// Relays between the line and the command until the command has ended and everything it wrote is on the
/// line.
class Session {
 public:
  Session(Line& line, const Job& job, Command command);

  /// Returns the command's wait status. Reaps every orphan meanwhile: the agent is the guest's first process.
  int run();

 private:
  void handle(const Frame& frame);
  void write_input();
  /// Reads once; false at the end of the stream or when nothing is there.
  bool relay(UniqueFd& stream, FrameType type);
  void reap();

  Line& line_;
  const Job& job_;
  Command command_;
  UniqueFd children_;  ///< signalfd of SIGCHLD
  std::string pending_input_;
  bool input_ended_ = false;
  std::optional<int> status_;
};

/// Blocks SIGCHLD so that Session can wait for it; call before anything is started.
void block_child_signals();

}  // namespace guests::agent
