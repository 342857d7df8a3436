// SPDX-License-Identifier: MIT
#include "transport/control_socket.hpp"

#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <span>
#include <utility>

namespace vgpu::transport {

ControlSocket::ControlSocket(std::string path, Reactor& reactor, Execute execute)
    : listener_(std::move(path)), reactor_(reactor), execute_(std::move(execute)) {
  reactor_.add(listener_.fd(), [this] { accept(); });
}

ControlSocket::~ControlSocket() {
  reactor_.remove(listener_.fd());
  for (const auto& [fd, client] : clients_) reactor_.remove(fd);
}

void ControlSocket::accept() {
  UniqueFd socket = listener_.accept();
  const int fd = socket.get();
  clients_.emplace(fd, Client{std::move(socket), {}});
  reactor_.add(fd, [this, fd] { receive(fd); });
}

void ControlSocket::receive(int fd) {
  Client& client = clients_.at(fd);
  std::array<char, 4096> buffer{};
  const ssize_t received = ::recv(fd, buffer.data(), buffer.size(), MSG_DONTWAIT);
  if (received < 0 && (errno == EAGAIN || errno == EINTR)) return;
  bool keep = received > 0;
  if (keep) {
    client.pending.append(buffer.data(), static_cast<size_t>(received));
    keep = answer_lines(client);
  }
  if (keep) return;
  reactor_.remove(fd);
  clients_.erase(fd);
}

bool ControlSocket::answer_lines(Client& client) {
  for (size_t end; (end = client.pending.find('\n')) != std::string::npos; client.pending.erase(0, end + 1)) {
    const std::string answer = execute_(std::string_view(client.pending).substr(0, end));
    if (!send_all(client.socket.get(), std::as_bytes(std::span(answer)))) return false;
  }
  return client.pending.size() <= max_line;
}

}  // namespace vgpu::transport
