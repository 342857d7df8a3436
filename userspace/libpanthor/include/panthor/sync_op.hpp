// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

namespace panthor {

/// One fence a submit or bind waits for or signals (struct drm_panthor_sync_op). Made by Syncobj.
struct SyncOp {
  enum class Kind : uint8_t { wait, signal };

  Kind kind = Kind::wait;
  bool timeline = false;  ///< use `point`; otherwise the syncobj is binary and `point` must be 0
  uint32_t handle = 0;
  uint64_t point = 0;  ///< timeline value; 0 means "the latest fence" to the kernel's syncobj code
};

}  // namespace panthor
