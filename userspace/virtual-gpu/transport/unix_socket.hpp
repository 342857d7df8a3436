// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "common/unique_fd.hpp"

namespace vgpu::transport {

using common::UniqueFd;

/// A listening unix stream socket whose file goes away with the object.
class UnixListener {
 public:
  /// Throws std::system_error naming the path. A file left behind at `path` by a dead listener is replaced.
  explicit UnixListener(std::string path);
  ~UnixListener();
  UnixListener(const UnixListener&) = delete;
  UnixListener& operator=(const UnixListener&) = delete;

  [[nodiscard]] int fd() const noexcept { return fd_.get(); }
  /// The next connection; blocks until there is one. Throws std::system_error.
  [[nodiscard]] UniqueFd accept() const;

 private:
  std::string path_;
  UniqueFd fd_;
};

/// Writes all of `bytes`; false when the peer is gone. Throws std::system_error on any other failure.
bool send_all(int fd, std::span<const std::byte> bytes);

/// Fills `bytes`; false when the peer closed first. Throws std::system_error on any other failure.
bool receive_all(int fd, std::span<std::byte> bytes);

}  // namespace vgpu::transport
