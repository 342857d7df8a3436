// SPDX-License-Identifier: MIT
#include "panthor/unique_fd.hpp"

#include <unistd.h>

namespace panthor {

void UniqueFd::reset(int fd) noexcept {
  if (fd_ >= 0) ::close(fd_);
  fd_ = fd;
}

}  // namespace panthor
