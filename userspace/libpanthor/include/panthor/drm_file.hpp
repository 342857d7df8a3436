// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "panthor/unique_fd.hpp"

namespace panthor {

/// An open DRM node. Every object created through it shares it, so a handle is always returned to the file it
/// came from, whatever the order of destruction.
class DrmFile {
 public:
  /// Opens `path` read-write, close-on-exec. Throws std::system_error naming the path.
  explicit DrmFile(std::string path);
  /// Adopts an open node; `path` is for messages.
  DrmFile(UniqueFd fd, std::string path) : fd_(std::move(fd)), path_(std::move(path)) {}

  [[nodiscard]] int fd() const noexcept { return fd_.get(); }
  [[nodiscard]] const std::string& path() const noexcept { return path_; }

 private:
  UniqueFd fd_;
  std::string path_;
};

}  // namespace panthor
