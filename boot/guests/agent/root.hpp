// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <string>

#include "channel/job.hpp"

namespace guests::agent {

using Warn = std::function<void(const std::string&)>;

/// /dev, so that the serial line and /dev/null exist, and descriptors 0 to 2 if the kernel gave us none.
void mount_first_devices();

/// Builds the root the command sees and makes it this process's: an overlay whose upper layer is memory over
/// the host directory, which is only ever read; the kernel's file systems; the binds. Throws
/// std::system_error.
void enter_root(const Job& job, const Warn& warn);

}  // namespace guests::agent
