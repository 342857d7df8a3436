// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <string>
#include <vector>

namespace vgpu::transport {

/// The command line of panthor-vgpu.
struct Options {
  std::string socket;       ///< vhost-user socket to listen on
  std::string time_socket;  ///< calendar socket; virtual time when not empty
  std::string control;      ///< control socket, may be empty
  std::string log;          ///< event log file, may be empty
  std::string summary;      ///< summary file, may be empty
  std::string firmware;     ///< firmware image the guest will load, may be empty
  std::vector<std::string> faults;
  std::chrono::microseconds spin{50};
  int ready_fd = -1;  ///< gets one byte when the sockets are there
  bool log_registers = false;
  bool pace = false;
  bool list_faults = false;
};

/// Exit codes of panthor-vgpu.
struct ExitCode {
  static constexpr int ok = 0;             ///< the guest left, or SIGTERM, SIGINT, "quit"
  static constexpr int internal = 1;       ///< a failure of the model or of the host
  static constexpr int usage = 2;          ///< the command line
  static constexpr int protocol = 3;       ///< the guest broke the protocol
  static constexpr int cannot_listen = 4;  ///< a socket or file could not be made
};

}  // namespace vgpu::transport
