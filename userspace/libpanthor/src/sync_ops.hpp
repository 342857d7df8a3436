// SPDX-License-Identifier: MIT
#pragma once

#include <drm/panthor_drm.h>

#include <span>
#include <vector>

#include "panthor/sync_op.hpp"

namespace panthor {

/// The sync ops of several jobs as one uAPI array, each job's part addressable. Storage for one ioctl.
class SyncOpArray {
 public:
  /// Appends `ops` and remembers them as the next job's.
  void append(std::span<const SyncOp> ops);
  /// The part appended by call number `job`; only valid while nothing is appended any more.
  [[nodiscard]] drm_panthor_obj_array part(size_t job) const;

 private:
  std::vector<drm_panthor_sync_op> ops_;
  std::vector<size_t> ends_;
};

}  // namespace panthor
