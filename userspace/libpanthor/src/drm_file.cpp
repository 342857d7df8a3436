// SPDX-License-Identifier: MIT
#include "panthor/drm_file.hpp"

#include <fcntl.h>

#include <cerrno>
#include <system_error>

namespace panthor {

DrmFile::DrmFile(std::string path) : path_(std::move(path)) {
  const int fd = ::open(path_.c_str(), O_RDWR | O_CLOEXEC);
  if (fd < 0) throw std::system_error(errno, std::generic_category(), "open(" + path_ + ")");
  fd_.reset(fd);
}

}  // namespace panthor
