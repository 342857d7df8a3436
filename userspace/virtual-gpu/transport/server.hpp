// SPDX-License-Identifier: MIT
#pragma once

#include <cstdio>
#include <memory>

#include "transport/options.hpp"

namespace vgpu::transport {

/// One virtual GPU for one guest: everything between the command line and the device.
class Server {
 public:
  /// Makes the sockets and files. Throws std::system_error, FaultSpecError.
  explicit Server(const Options& options);
  ~Server();

  /// Serves until the guest leaves or somebody ends it. Throws ProtocolError, std::system_error.
  void run();
  /// Writes the summary, if one was asked for.
  void write_summary();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace vgpu::transport
