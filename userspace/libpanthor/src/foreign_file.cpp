// SPDX-License-Identifier: MIT
#include "panthor/foreign_file.hpp"

#include <linux/sync_file.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>

#include "ioctl.hpp"

namespace panthor {
namespace {

// Limits of the driver's tables of handles (panthor_sched.c MAX_GROUPS_PER_POOL, panthor_mmu.c
// PANTHOR_MAX_VMS_PER_FILE).
constexpr uint32_t highest_group = 128;
constexpr uint32_t highest_vm = 32;
/// Syncobj handles are given lowest first, so a long gap means that there are no more.
constexpr uint32_t longest_gap = 512;

constexpr Ioctl known_ioctls[] = {
    ioctls::dev_query,
    ioctls::vm_create,
    ioctls::vm_destroy,
    ioctls::vm_bind,
    ioctls::vm_get_state,
    ioctls::bo_create,
    ioctls::bo_mmap_offset,
    ioctls::bo_set_label,
    ioctls::bo_sync,
    ioctls::bo_query_info,
    ioctls::group_create,
    ioctls::group_destroy,
    ioctls::group_submit,
    ioctls::group_get_state,
    ioctls::tiler_heap_create,
    ioctls::tiler_heap_destroy,
    ioctls::set_user_mmio_offset,
    ioctls::gem_close,
    ioctls::prime_handle_to_fd,
    ioctls::prime_fd_to_handle,
    ioctls::syncobj_create,
    ioctls::syncobj_destroy,
    ioctls::syncobj_wait,
    ioctls::syncobj_timeline_wait,
    ioctls::syncobj_reset,
    ioctls::syncobj_signal,
    ioctls::syncobj_timeline_signal,
    ioctls::syncobj_query,
    ioctls::syncobj_handle_to_fd,
    ioctls::syncobj_fd_to_handle,
};

/// `size` characters at most; the kernel cuts names at 32 with a zero.
template <size_t size>
std::string text_of(const char (&text)[size]) {
  return {text, std::find(text, text + size, '\0')};
}

uint64_t query_point(int fd, uint32_t handle, uint32_t flags) {
  uint64_t point = 0;
  return drmSyncobjQuery2(fd, &handle, &point, 1, flags) == 0 ? point : 0;
}

}  // namespace

UniqueFd duplicate_descriptor(pid_t pid, int fd) {
  const UniqueFd process(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
  if (!process) throw call_error(errno, "pidfd_open", fmt::format("pid={}", pid));
  UniqueFd copy(static_cast<int>(::syscall(SYS_pidfd_getfd, process.get(), fd, 0)));
  if (!copy) throw call_error(errno, "pidfd_getfd", fmt::format("pid={}, fd={}", pid, fd));
  return copy;
}

std::vector<FenceLook> look_at_sync_file(int fd) {
  sync_file_info info{};
  if (::ioctl(fd, SYNC_IOC_FILE_INFO, &info) != 0 || info.num_fences == 0) return {};
  std::vector<sync_fence_info> fences(info.num_fences);
  info.sync_fence_info = reinterpret_cast<__u64>(fences.data());
  if (::ioctl(fd, SYNC_IOC_FILE_INFO, &info) != 0) return {};
  std::vector<FenceLook> looks;
  for (const sync_fence_info& fence : fences)
    looks.push_back({text_of(fence.driver_name), text_of(fence.obj_name), fence.status});
  return looks;
}

ForeignFile::ForeignFile(pid_t pid, int fd) : fd_(duplicate_descriptor(pid, fd)) {}

std::vector<SyncobjLook> ForeignFile::syncobjs(uint32_t highest) const {
  std::vector<SyncobjLook> looks;
  uint32_t gap = 0;
  for (uint32_t handle = 1; handle <= highest && gap < longest_gap; ++handle) {
    drm_syncobj_handle args{};
    args.handle = handle;
    args.flags = DRM_SYNCOBJ_HANDLE_TO_FD_FLAGS_EXPORT_SYNC_FILE;
    args.fd = -1;
    const bool exported = drmIoctl(fd_.get(), DRM_IOCTL_SYNCOBJ_HANDLE_TO_FD, &args) == 0;
    uint64_t point = 0;
    // Without a fence the export fails as it does without such a syncobj; a query knows the two apart.
    if (!exported && drmSyncobjQuery2(fd_.get(), &handle, &point, 1, 0) != 0) {
      ++gap;
      continue;
    }
    gap = 0;
    SyncobjLook look;
    look.handle = handle;
    look.has_fence = exported;
    look.point = query_point(fd_.get(), handle, 0);
    look.submitted = query_point(fd_.get(), handle, DRM_SYNCOBJ_QUERY_FLAGS_LAST_SUBMITTED);
    if (exported) {
      const UniqueFd sync_file(args.fd);
      look.fences = look_at_sync_file(sync_file.get());
      look.signalled =
          std::ranges::all_of(look.fences, [](const FenceLook& fence) { return fence.status != 0; });
      // What matters is what has not signalled.
      std::ranges::stable_partition(look.fences, [](const FenceLook& fence) { return fence.status == 0; });
      if (look.fences.size() > SyncobjLook::fences_shown) look.fences.resize(SyncobjLook::fences_shown);
    }
    looks.push_back(std::move(look));
  }
  return looks;
}

std::vector<GroupLook> ForeignFile::groups() const {
  std::vector<GroupLook> looks;
  for (uint32_t handle = 1; handle <= highest_group; ++handle) {
    drm_panthor_group_get_state args{};
    args.group_handle = handle;
    if (drmIoctl(fd_.get(), DRM_IOCTL_PANTHOR_GROUP_GET_STATE, &args) != 0) continue;
    looks.push_back({.handle = handle,
                     .timed_out = (args.state & DRM_PANTHOR_GROUP_STATE_TIMEDOUT) != 0,
                     .fatal_fault = (args.state & DRM_PANTHOR_GROUP_STATE_FATAL_FAULT) != 0,
                     .innocent = (args.state & DRM_PANTHOR_GROUP_STATE_INNOCENT) != 0,
                     .fatal_queues = args.fatal_queues});
  }
  return looks;
}

std::vector<VmLook> ForeignFile::vms() const {
  std::vector<VmLook> looks;
  for (uint32_t id = 1; id <= highest_vm; ++id) {
    drm_panthor_vm_get_state args{};
    args.vm_id = id;
    if (drmIoctl(fd_.get(), DRM_IOCTL_PANTHOR_VM_GET_STATE, &args) == 0)
      looks.push_back({.id = id, .usable = args.state == DRM_PANTHOR_VM_STATE_USABLE});
  }
  return looks;
}

std::string ioctl_name(unsigned long request) {
  // Type and number; the size of the argument grew with the uAPI.
  constexpr unsigned long identity = 0xffff;
  const auto it = std::ranges::find(known_ioctls, request & identity,
                                    [](const Ioctl& ioctl) { return ioctl.request & identity; });
  return it == std::ranges::end(known_ioctls) ? "" : std::string(it->name);
}

}  // namespace panthor
