// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "panthor/device.hpp"
#include "panthor/sync_op.hpp"
#include "panthor/virtual_memory.hpp"

namespace panthor {

/// One queue of a group (struct drm_panthor_queue_create).
struct QueueOptions {
  uint8_t priority = 1;            ///< inside the group, 0 to 15, 15 the highest
  uint32_t ring_bytes = 64 << 10;  ///< ring buffer, a power of two, 4 KiB to 64 KiB
};

/// Cores one kind of work may use. Unset: every core the GPU has.
struct CoreSet {
  std::optional<uint64_t> mask{};  ///< must be within shader_present (tiler: tiler_present)
  std::optional<uint8_t> max{};    ///< cores at once, at most the bits of `mask`; unset: all of them
};

/// What GROUP_CREATE takes (struct drm_panthor_group_create).
struct GroupOptions {
  GroupPriority priority = GroupPriority::medium;
  std::vector<QueueOptions> queues = {QueueOptions{}};  ///< 1 to CsifInfo::cs_slot_count
  CoreSet compute{};
  CoreSet fragment{};
  CoreSet tiler{};
};

/// A command stream for one queue (struct drm_panthor_queue_submit).
struct QueueSubmit {
  uint32_t queue = 0;
  uint64_t stream_va =
      0;  ///< multiple of 64; 0 together with stream_bytes makes a pure synchronisation point
  uint32_t stream_bytes = 0;  ///< multiple of 8
  uint32_t latest_flush =
      0;  ///< FlushIdPage::current() when the stream was written; 0: always flush. Bits 30:24 zero
  std::vector<SyncOp> syncs;
};

/// struct drm_panthor_group_get_state. With timed_out or fatal_fault the group takes no job any more.
struct GroupState {
  bool timed_out = false;     ///< a job did not end in time, or the group was caught in a reset
  bool fatal_fault = false;   ///< see fatal_queues
  bool innocent = false;      ///< killed by a reset another group caused (driver 1.3)
  uint32_t fatal_queues = 0;  ///< bit n: queue n faulted

  [[nodiscard]] bool usable() const noexcept { return !timed_out && !fatal_fault; }
};

/// A scheduling group: queues that are on the GPU together. Move-only; destroyed with the object, jobs still
/// running are cancelled. A file has at most max_per_file of them.
class Group {
 public:
  static constexpr unsigned max_per_file = 128;  ///< MAX_GROUPS_PER_POOL

  /// GROUP_CREATE on `vm`. EINVAL: queue count, priority, ring size, masks outside what is present or with
  /// fewer bits than max; EACCES: priority high or realtime without CAP_SYS_NICE; EOPNOTSUPP: realtime before
  /// driver 1.2; EBUSY: max_per_file groups exist.
  Group(const Device& device, const VirtualMemory& vm, const GroupOptions& options = {});
  ~Group();

  Group(Group&& other) noexcept : file_(std::move(other.file_)), handle_(std::exchange(other.handle_, 0)) {}
  Group& operator=(Group&& other) noexcept {
    std::swap(file_, other.file_);
    std::swap(handle_, other.handle_);
    return *this;
  }
  Group(const Group&) = delete;
  Group& operator=(const Group&) = delete;

  /// Handle, 1 to max_per_file.
  [[nodiscard]] uint32_t handle() const noexcept { return handle_; }

  /// GROUP_SUBMIT: all of `jobs` or none. A job may wait for what an earlier one of the same call signals.
  /// EINVAL: alignment, queue, latest_flush, syncs, or the group is not usable() any more; ENOENT: unknown
  /// syncobj.
  void submit(std::span<const QueueSubmit> jobs) const;
  void submit(const QueueSubmit& job) const { submit(std::span(&job, 1)); }

  /// GROUP_GET_STATE.
  [[nodiscard]] GroupState state() const;

  /// GROUP_DESTROY now, with errors thrown. The destructor does the same silently.
  void destroy();

 private:
  std::shared_ptr<const DrmFile> file_;
  uint32_t handle_ = 0;
};

}  // namespace panthor
