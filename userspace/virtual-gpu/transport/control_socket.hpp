// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "transport/reactor.hpp"
#include "transport/unix_socket.hpp"

namespace vgpu::transport {

/// Control commands over a unix stream socket: a line in, its answer out. Several clients at once.
class ControlSocket {
 public:
  using Execute = std::function<std::string(std::string_view line)>;
  static constexpr size_t max_line = 4096;  ///< bytes; a client that sends more is dropped

  ControlSocket(std::string path, Reactor& reactor, Execute execute);
  ~ControlSocket();

 private:
  struct Client {
    UniqueFd socket;
    std::string pending;
  };
  void accept();
  void receive(int fd);
  /// False when the client has to go.
  bool answer_lines(Client& client);

  UnixListener listener_;
  Reactor& reactor_;
  Execute execute_;
  std::map<int, Client> clients_;
};

}  // namespace vgpu::transport
