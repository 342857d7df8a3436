// SPDX-License-Identifier: MIT
#pragma once

#include <compare>
#include <string>

namespace panthor {

/// Version of the panthor uAPI as DRM_IOCTL_VERSION reports it.
struct DriverVersion {
  int major = 0;
  int minor = 0;
  int patch = 0;

  friend constexpr auto operator<=>(const DriverVersion&, const DriverVersion&) = default;
};

/// "1.8.0"
[[nodiscard]] std::string to_string(const DriverVersion& version);

// First version of each feature this library gates on (history in the comment above panthor_drm_driver,
// panthor_drv.c).

/// DEV_QUERY_TIMESTAMP_INFO.
inline constexpr DriverVersion has_timestamp_info{1, 1, 0};
/// DEV_QUERY_GROUP_PRIORITIES_INFO and the realtime group priority.
inline constexpr DriverVersion has_group_priorities{1, 2, 0};
/// GroupState::innocent; always false before.
inline constexpr DriverVersion has_group_innocent{1, 3, 0};
/// BO_SET_LABEL.
inline constexpr DriverVersion has_bo_label{1, 4, 0};
/// SET_USER_MMIO_OFFSET.
inline constexpr DriverVersion has_user_mmio_offset{1, 5, 0};
/// BO_SYNC, BO_QUERY_INFO, BoFlags::wb_mmap, GpuInfo::selected_coherency.
inline constexpr DriverVersion has_bo_sync{1, 7, 0};
/// Flags, cycle count, CPU time and duration of TIMESTAMP_INFO.
inline constexpr DriverVersion has_timestamp_flags{1, 8, 0};
/// BindFlags::sparse. Kernel 7.2 (1.8) has it, although the history lists it with 1.9: a driver that says 1.8
/// may still answer EINVAL.
inline constexpr DriverVersion has_sparse{1, 8, 0};
/// DEV_QUERY_MMU_INFO.
inline constexpr DriverVersion has_mmu_info{1, 9, 0};

}  // namespace panthor
