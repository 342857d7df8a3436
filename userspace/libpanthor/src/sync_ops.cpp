// SPDX-License-Identifier: MIT
#include "sync_ops.hpp"

namespace panthor {

void SyncOpArray::append(std::span<const SyncOp> ops) {
  for (const SyncOp& op : ops) {
    const uint32_t kind = static_cast<uint32_t>(op.kind == SyncOp::Kind::signal ? DRM_PANTHOR_SYNC_OP_SIGNAL
                                                                                : DRM_PANTHOR_SYNC_OP_WAIT);
    const uint32_t type = op.timeline ? DRM_PANTHOR_SYNC_OP_HANDLE_TYPE_TIMELINE_SYNCOBJ
                                      : DRM_PANTHOR_SYNC_OP_HANDLE_TYPE_SYNCOBJ;
    ops_.push_back({.flags = kind | type, .handle = op.handle, .timeline_value = op.point});
  }
  ends_.push_back(ops_.size());
}

drm_panthor_obj_array SyncOpArray::part(size_t job) const {
  const size_t begin = job == 0 ? 0 : ends_[job - 1];
  return {.stride = sizeof(drm_panthor_sync_op),
          .count = static_cast<__u32>(ends_[job] - begin),
          .array = reinterpret_cast<__u64>(ops_.data() + begin)};
}

}  // namespace panthor
