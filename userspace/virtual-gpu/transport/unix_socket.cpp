// SPDX-License-Identifier: MIT
#include "transport/unix_socket.hpp"

#include <sys/socket.h>
#include <sys/un.h>

#include <cerrno>
#include <cstring>
#include <system_error>

namespace vgpu::transport {
namespace {

[[noreturn]] void fail(const std::string& what) {
  throw std::system_error(errno, std::generic_category(), what);
}

}  // namespace

UnixListener::UnixListener(std::string path) : path_(std::move(path)) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path_.empty() || path_.size() >= sizeof address.sun_path) {
    errno = ENAMETOOLONG;
    fail("socket " + path_);
  }
  std::memcpy(address.sun_path, path_.data(), path_.size());

  fd_.reset(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!fd_) fail("socket");
  ::unlink(path_.c_str());
  if (::bind(fd_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
    fail("bind " + path_);
  if (::listen(fd_.get(), 4) != 0) fail("listen " + path_);
}

UnixListener::~UnixListener() {
  if (fd_) ::unlink(path_.c_str());
}

UniqueFd UnixListener::accept() const {
  for (;;) {
    UniqueFd connection(::accept4(fd_.get(), nullptr, nullptr, SOCK_CLOEXEC));
    if (connection) return connection;
    if (errno != EINTR) fail("accept " + path_);
  }
}

bool send_all(int fd, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent >= 0) {
      bytes = bytes.subspan(static_cast<size_t>(sent));
    } else if (errno == EPIPE || errno == ECONNRESET) {
      return false;
    } else if (errno != EINTR) {
      fail("send");
    }
  }
  return true;
}

bool receive_all(int fd, std::span<std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t received = ::recv(fd, bytes.data(), bytes.size(), 0);
    if (received > 0) {
      bytes = bytes.subspan(static_cast<size_t>(received));
    } else if (received == 0 || errno == ECONNRESET) {
      return false;
    } else if (errno != EINTR) {
      fail("recv");
    }
  }
  return true;
}

}  // namespace vgpu::transport
