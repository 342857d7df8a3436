// SPDX-License-Identifier: MIT
#pragma once

#include <drm/panthor_drm.h>
#include <fmt/format.h>
#include <panthor_va_heap.h>
#include <xf86drm.h>

#include <cerrno>
#include <string_view>
#include <system_error>

#include "panthor/driver_version.hpp"
#include "panthor/drm_file.hpp"

namespace panthor {

/// One ioctl: its number and the name it has in error messages.
struct Ioctl {
  unsigned long request;
  std::string_view name;
};

/// Every ioctl the library issues. An argument struct is passed to the one it is declared for in
/// panthor_drm.h or drm.h.
namespace ioctls {
#define PANTHOR_IOCTL_ROW(id) \
  { id, #id }
inline constexpr Ioctl dev_query PANTHOR_IOCTL_ROW(DRM_IOCTL_PANTHOR_DEV_QUERY);
inline constexpr Ioctl vm_create PANTHOR_IOCTL_ROW(DRM_IOCTL_PANTHOR_VM_CREATE);
inline constexpr Ioctl vm_create_heap{PANTHOR_IOCTL_VM_CREATE_HEAP, "DRM_IOCTL_PANTHOR_VM_CREATE"};
inline constexpr Ioctl vm_destroy PANTHOR_IOCTL_ROW(DRM_IOCTL_PANTHOR_VM_DESTROY);
inline constexpr Ioctl vm_bind PANTHOR_IOCTL_ROW(DRM_IOCTL_PANTHOR_VM_BIND);
inline constexpr Ioctl vm_get_state PANTHOR_IOCTL_ROW(DRM_IOCTL_PANTHOR_VM_GET_STATE);
inline constexpr Ioctl bo_create PANTHOR_IOCTL_ROW(DRM_IOCTL_PANTHOR_BO_CREATE);
inline constexpr Ioctl bo_mmap_offset PANTHOR_IOCTL_ROW(DRM_IOCTL_PANTHOR_BO_MMAP_OFFSET);
inline constexpr Ioctl bo_set_label PANTHOR_IOCTL_ROW(DRM_IOCTL_PANTHOR_BO_SET_LABEL);
inline constexpr Ioctl bo_sync PANTHOR_IOCTL_ROW(DRM_IOCTL_PANTHOR_BO_SYNC);
inline constexpr Ioctl bo_query_info PANTHOR_IOCTL_ROW(DRM_IOCTL_PANTHOR_BO_QUERY_INFO);
inline constexpr Ioctl group_create PANTHOR_IOCTL_ROW(DRM_IOCTL_PANTHOR_GROUP_CREATE);
inline constexpr Ioctl group_destroy PANTHOR_IOCTL_ROW(DRM_IOCTL_PANTHOR_GROUP_DESTROY);
inline constexpr Ioctl group_submit PANTHOR_IOCTL_ROW(DRM_IOCTL_PANTHOR_GROUP_SUBMIT);
inline constexpr Ioctl group_get_state PANTHOR_IOCTL_ROW(DRM_IOCTL_PANTHOR_GROUP_GET_STATE);
inline constexpr Ioctl tiler_heap_create PANTHOR_IOCTL_ROW(DRM_IOCTL_PANTHOR_TILER_HEAP_CREATE);
inline constexpr Ioctl tiler_heap_destroy PANTHOR_IOCTL_ROW(DRM_IOCTL_PANTHOR_TILER_HEAP_DESTROY);
inline constexpr Ioctl set_user_mmio_offset PANTHOR_IOCTL_ROW(DRM_IOCTL_PANTHOR_SET_USER_MMIO_OFFSET);
inline constexpr Ioctl gem_close PANTHOR_IOCTL_ROW(DRM_IOCTL_GEM_CLOSE);
inline constexpr Ioctl prime_handle_to_fd PANTHOR_IOCTL_ROW(DRM_IOCTL_PRIME_HANDLE_TO_FD);
inline constexpr Ioctl prime_fd_to_handle PANTHOR_IOCTL_ROW(DRM_IOCTL_PRIME_FD_TO_HANDLE);
inline constexpr Ioctl syncobj_create PANTHOR_IOCTL_ROW(DRM_IOCTL_SYNCOBJ_CREATE);
inline constexpr Ioctl syncobj_destroy PANTHOR_IOCTL_ROW(DRM_IOCTL_SYNCOBJ_DESTROY);
inline constexpr Ioctl syncobj_wait PANTHOR_IOCTL_ROW(DRM_IOCTL_SYNCOBJ_WAIT);
inline constexpr Ioctl syncobj_timeline_wait PANTHOR_IOCTL_ROW(DRM_IOCTL_SYNCOBJ_TIMELINE_WAIT);
inline constexpr Ioctl syncobj_reset PANTHOR_IOCTL_ROW(DRM_IOCTL_SYNCOBJ_RESET);
inline constexpr Ioctl syncobj_signal PANTHOR_IOCTL_ROW(DRM_IOCTL_SYNCOBJ_SIGNAL);
inline constexpr Ioctl syncobj_timeline_signal PANTHOR_IOCTL_ROW(DRM_IOCTL_SYNCOBJ_TIMELINE_SIGNAL);
inline constexpr Ioctl syncobj_query PANTHOR_IOCTL_ROW(DRM_IOCTL_SYNCOBJ_QUERY);
inline constexpr Ioctl syncobj_handle_to_fd PANTHOR_IOCTL_ROW(DRM_IOCTL_SYNCOBJ_HANDLE_TO_FD);
inline constexpr Ioctl syncobj_fd_to_handle PANTHOR_IOCTL_ROW(DRM_IOCTL_SYNCOBJ_FD_TO_HANDLE);
#undef PANTHOR_IOCTL_ROW
}  // namespace ioctls

/// The std::system_error of a failed call: "NAME(arguments): reason".
[[nodiscard]] std::system_error call_error(int error, std::string_view name, std::string_view arguments);

/// Throws call_error(EOPNOTSUPP) "NAME(needs panthor A.B.C, this is X.Y.Z)" on a driver older than
/// `at_least`.
void require(const DriverVersion& version, const DriverVersion& at_least, const Ioctl& ioctl);

/// Issues `ioctl` (restarted on EINTR/EAGAIN as drmIoctl does). Returns 0 or the errno of the failure.
[[nodiscard]] inline int try_ioctl(const DrmFile& file, const Ioctl& ioctl, void* argument) noexcept {
  return drmIoctl(file.fd(), ioctl.request, argument) == 0 ? 0 : errno;
}

/// Issues `ioctl`; a failure throws call_error() with the arguments formatted from `arguments`.
template <typename... Args>
void checked_ioctl(const DrmFile& file, const Ioctl& ioctl, void* argument,
                   fmt::format_string<Args...> format, Args&&... arguments) {
  if (const int error = try_ioctl(file, ioctl, argument); error != 0)
    throw call_error(error, ioctl.name, fmt::format(format, std::forward<Args>(arguments)...));
}

/// drm_panthor_obj_array over a contiguous container of uAPI structs.
template <typename Container>
[[nodiscard]] drm_panthor_obj_array object_array(const Container& objects) noexcept {
  return {.stride = sizeof(typename Container::value_type),
          .count = static_cast<__u32>(objects.size()),
          .array = reinterpret_cast<__u64>(objects.data())};
}

}  // namespace panthor
