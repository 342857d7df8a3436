// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <string>

#include "panthor/unique_fd.hpp"

namespace panthor {

class GemHandles;

/// An open DRM node. Every object created through it shares it, so a handle is always returned to the file it
/// came from, whatever the order of destruction.
class DrmFile {
 public:
  /// Opens `path` read-write, close-on-exec. Throws std::system_error naming the path.
  explicit DrmFile(std::string path);
  /// Adopts an open node; `path` is for messages.
  DrmFile(UniqueFd fd, std::string path);
  ~DrmFile();

  DrmFile(const DrmFile&) = delete;
  DrmFile& operator=(const DrmFile&) = delete;

  [[nodiscard]] int fd() const noexcept { return fd_.get(); }
  [[nodiscard]] const std::string& path() const noexcept { return path_; }

  /// Who owns which GEM handle of this file (for BufferObject).
  [[nodiscard]] GemHandles& gem_handles() const noexcept { return *gem_handles_; }

 private:
  UniqueFd fd_;
  std::string path_;
  std::unique_ptr<GemHandles> gem_handles_;
};

}  // namespace panthor
