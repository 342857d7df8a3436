// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>

#include "panthor/device.hpp"
#include "panthor/sync_op.hpp"

namespace panthor {

/// How Syncobj::wait treats a fence that is not there yet (DRM_SYNCOBJ_WAIT_FLAGS_*).
enum class WaitMode : uint8_t {
  submitted,        ///< the fence must exist already: EINVAL when it does not
  for_submit,       ///< also wait for the fence to be attached
  until_available,  ///< only wait for a fence to be attached, not for it to signal (timeline)
};

/// A DRM synchronisation object: a box for one fence (binary), or for a chain of them by 64-bit points
/// (timeline). Move-only.
class Syncobj {
 public:
  /// SYNCOBJ_CREATE. `signaled`: starts with a fence that is already signalled.
  explicit Syncobj(const Device& device, bool signaled = false);
  ~Syncobj();

  Syncobj(Syncobj&& other) noexcept
      : file_(std::move(other.file_)), handle_(std::exchange(other.handle_, 0)) {}
  Syncobj& operator=(Syncobj&& other) noexcept {
    std::swap(file_, other.file_);
    std::swap(handle_, other.handle_);
    return *this;
  }
  Syncobj(const Syncobj&) = delete;
  Syncobj& operator=(const Syncobj&) = delete;

  [[nodiscard]] uint32_t handle() const noexcept { return handle_; }

  /// Waits at most `timeout` (0 polls) for the binary fence. True when it signalled, false when time ran out.
  /// A fence that signalled with an error counts as signalled; ask Group::state() then.
  [[nodiscard]] bool wait(std::chrono::nanoseconds timeout, WaitMode mode = WaitMode::submitted) const;
  /// The same for `point` of a timeline.
  [[nodiscard]] bool wait_point(uint64_t point, std::chrono::nanoseconds timeout,
                                WaitMode mode = WaitMode::submitted) const;

  /// Attaches a signalled fence from the CPU.
  void signal() const;
  /// Attaches a signalled fence at `point` from the CPU.
  void signal_point(uint64_t point) const;
  /// Takes the fence out.
  void reset() const;
  /// Highest signalled point of a timeline; 0 for none.
  [[nodiscard]] uint64_t query() const;

  /// A file descriptor for this syncobj, to be given to another process.
  [[nodiscard]] UniqueFd export_handle() const;
  /// The current fence as a sync_file. EINVAL when there is none.
  [[nodiscard]] UniqueFd export_sync_file() const;
  /// Opens a syncobj exported with export_handle().
  [[nodiscard]] static Syncobj import_handle(const Device& device, const UniqueFd& fd);

  /// What a submit or bind does with this object.
  [[nodiscard]] SyncOp wait_op() const { return {SyncOp::Kind::wait, false, handle_, 0}; }
  [[nodiscard]] SyncOp signal_op() const { return {SyncOp::Kind::signal, false, handle_, 0}; }
  [[nodiscard]] SyncOp wait_op(uint64_t point) const { return {SyncOp::Kind::wait, true, handle_, point}; }
  [[nodiscard]] SyncOp signal_op(uint64_t point) const {
    return {SyncOp::Kind::signal, true, handle_, point};
  }

 private:
  Syncobj(std::shared_ptr<const DrmFile> file, uint32_t handle) : file_(std::move(file)), handle_(handle) {}

  std::shared_ptr<const DrmFile> file_;
  uint32_t handle_ = 0;
};

}  // namespace panthor
