// SPDX-License-Identifier: MIT
#include "panthor/syncobj.hpp"

#include <time.h>

#include <algorithm>
#include <array>
#include <limits>

#include "ioctl.hpp"

namespace panthor {
namespace {

/// DRM_SYNCOBJ_WAIT_FLAGS_* of each WaitMode.
constexpr std::array<uint32_t, 3> wait_flags = {
    DRM_SYNCOBJ_WAIT_FLAGS_WAIT_ALL,
    DRM_SYNCOBJ_WAIT_FLAGS_WAIT_ALL | DRM_SYNCOBJ_WAIT_FLAGS_WAIT_FOR_SUBMIT,
    DRM_SYNCOBJ_WAIT_FLAGS_WAIT_ALL | DRM_SYNCOBJ_WAIT_FLAGS_WAIT_AVAILABLE,
};

/// The kernel takes an absolute CLOCK_MONOTONIC time in ns; a sum beyond its range means for ever.
int64_t deadline_ns(std::chrono::nanoseconds timeout) {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  const int64_t now_ns = now.tv_sec * 1'000'000'000LL + now.tv_nsec;
  const int64_t most = std::numeric_limits<int64_t>::max() - now_ns;
  return now_ns + std::clamp<int64_t>(timeout.count(), 0, most);
}

/// 0 and ETIME are answers, everything else is an error.
bool wait_result(int error, const Ioctl& ioctl, const std::string& arguments) {
  if (error == 0) return true;
  if (error == ETIME) return false;
  throw call_error(error, ioctl.name, arguments);
}

}  // namespace

Syncobj::Syncobj(const Device& device, bool signaled) : file_(device.file()) {
  drm_syncobj_create args{};
  args.flags = signaled ? DRM_SYNCOBJ_CREATE_SIGNALED : 0;
  checked_ioctl(*file_, ioctls::syncobj_create, &args, "flags={:#x}", args.flags);
  handle_ = args.handle;
}

Syncobj::~Syncobj() {
  if (handle_ == 0) return;
  drm_syncobj_destroy args{.handle = handle_, .pad = 0};
  // Fails only for a handle this object does not own, and a destructor has nobody to tell.
  (void)try_ioctl(*file_, ioctls::syncobj_destroy, &args);
}

bool Syncobj::wait(std::chrono::nanoseconds timeout, WaitMode mode) const {
  drm_syncobj_wait args{};
  args.handles = reinterpret_cast<__u64>(&handle_);
  args.timeout_nsec = deadline_ns(timeout);
  args.count_handles = 1;
  args.flags = wait_flags[static_cast<size_t>(mode)];
  return wait_result(try_ioctl(*file_, ioctls::syncobj_wait, &args), ioctls::syncobj_wait,
                     fmt::format("handle={}, flags={:#x}", handle_, args.flags));
}

bool Syncobj::wait_point(uint64_t point, std::chrono::nanoseconds timeout, WaitMode mode) const {
  drm_syncobj_timeline_wait args{};
  args.handles = reinterpret_cast<__u64>(&handle_);
  args.points = reinterpret_cast<__u64>(&point);
  args.timeout_nsec = deadline_ns(timeout);
  args.count_handles = 1;
  args.flags = wait_flags[static_cast<size_t>(mode)];
  return wait_result(try_ioctl(*file_, ioctls::syncobj_timeline_wait, &args), ioctls::syncobj_timeline_wait,
                     fmt::format("handle={}, point={}, flags={:#x}", handle_, point, args.flags));
}

void Syncobj::signal() const {
  drm_syncobj_array args{};
  args.handles = reinterpret_cast<__u64>(&handle_);
  args.count_handles = 1;
  checked_ioctl(*file_, ioctls::syncobj_signal, &args, "handle={}", handle_);
}

void Syncobj::reset() const {
  drm_syncobj_array args{};
  args.handles = reinterpret_cast<__u64>(&handle_);
  args.count_handles = 1;
  checked_ioctl(*file_, ioctls::syncobj_reset, &args, "handle={}", handle_);
}

void Syncobj::signal_point(uint64_t point) const {
  drm_syncobj_timeline_array args{};
  args.handles = reinterpret_cast<__u64>(&handle_);
  args.points = reinterpret_cast<__u64>(&point);
  args.count_handles = 1;
  checked_ioctl(*file_, ioctls::syncobj_timeline_signal, &args, "handle={}, point={}", handle_, point);
}

uint64_t Syncobj::query() const {
  uint64_t point = 0;
  drm_syncobj_timeline_array args{};
  args.handles = reinterpret_cast<__u64>(&handle_);
  args.points = reinterpret_cast<__u64>(&point);
  args.count_handles = 1;
  checked_ioctl(*file_, ioctls::syncobj_query, &args, "handle={}", handle_);
  return point;
}

UniqueFd Syncobj::export_handle() const {
  drm_syncobj_handle args{};
  args.handle = handle_;
  args.fd = -1;
  checked_ioctl(*file_, ioctls::syncobj_handle_to_fd, &args, "handle={}", handle_);
  return UniqueFd(args.fd);
}

UniqueFd Syncobj::export_sync_file() const {
  drm_syncobj_handle args{};
  args.handle = handle_;
  args.flags = DRM_SYNCOBJ_HANDLE_TO_FD_FLAGS_EXPORT_SYNC_FILE;
  args.fd = -1;
  checked_ioctl(*file_, ioctls::syncobj_handle_to_fd, &args, "handle={}, sync_file", handle_);
  return UniqueFd(args.fd);
}

Syncobj Syncobj::import_handle(const Device& device, const UniqueFd& fd) {
  drm_syncobj_handle args{};
  args.fd = fd.get();
  checked_ioctl(*device.file(), ioctls::syncobj_fd_to_handle, &args, "fd={}", fd.get());
  return {device.file(), args.handle};
}

}  // namespace panthor
