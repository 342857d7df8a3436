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
/// BO_SET_LABEL.
inline constexpr DriverVersion has_bo_label{1, 4, 0};
/// BO_SYNC, BO_QUERY_INFO, BoFlags::wb_mmap, GpuInfo::selected_coherency.
inline constexpr DriverVersion has_bo_sync{1, 7, 0};
/// Flags, cycle count, CPU time and duration of TIMESTAMP_INFO.
inline constexpr DriverVersion has_timestamp_flags{1, 8, 0};
/// DEV_QUERY_MMU_INFO; also where the history lists BindFlags::sparse, which kernel 7.2 (1.8) accepts
/// already.
inline constexpr DriverVersion has_mmu_info{1, 9, 0};

}  // namespace panthor
