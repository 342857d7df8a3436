// SPDX-License-Identifier: MIT
#pragma once

#include <drm.h>
#include <fcntl.h>
#include <sys/ioctl.h>

#include <cerrno>

#include "panthor/unique_fd.hpp"

namespace panthor {

/// What an ioctl that reaches /dev/null comes back with: ENOTTY from a kernel; qemu-user answers ENOSYS
/// itself for those it does not know.
inline int null_device_errno() {
  const UniqueFd null(::open("/dev/null", O_RDWR | O_CLOEXEC));
  return ::ioctl(null.get(), DRM_IO(DRM_COMMAND_END - 1)) == 0 ? 0 : errno;
}

}  // namespace panthor
