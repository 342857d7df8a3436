// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "panthor/device_info.hpp"
#include "panthor/driver_version.hpp"
#include "panthor/drm_file.hpp"

namespace panthor {

/// Where in the file the register pages for user space begin (DRM_PANTHOR_USER_MMIO_OFFSET_*).
enum class UserMmioOffset : uint64_t {
  bits32 = 1ull << 43,  ///< the default of 32-bit processes
  bits64 = 1ull << 56,  ///< the default of 64-bit processes
  native = sizeof(long) < 8 ? bits32 : bits64,
};

/// A render node driven by panthor. Cheap to copy: copies share the open file, and with it the VMs, groups
/// and buffers.
class Device {
 public:
  /// Opens the node at `path`. Throws std::system_error: the errno of open(), or ENODEV when another driver
  /// than panthor is behind it.
  [[nodiscard]] static Device open(const std::string& path);

  /// Opens the first node of /dev/dri/renderD* whose driver is panthor. Throws std::system_error(ENODEV),
  /// naming what was found instead.
  [[nodiscard]] static Device open_first();

  /// Adopts an open file known to be of a panthor that speaks `version` (recorders, replayers, tests).
  Device(std::shared_ptr<const DrmFile> file, DriverVersion version)
      : file_(std::move(file)), version_(version) {}

  /// Opens `path`, or the first node when it is empty.
  [[nodiscard]] static Device open_path_or_first(const std::string& path) {
    return path.empty() ? open_first() : open(path);
  }

  [[nodiscard]] int fd() const noexcept { return file_->fd(); }
  [[nodiscard]] const std::string& path() const noexcept { return file_->path(); }
  [[nodiscard]] const std::shared_ptr<const DrmFile>& file() const noexcept { return file_; }

  /// The uAPI version the kernel announced when the node was opened.
  [[nodiscard]] DriverVersion version() const noexcept { return version_; }

  /// DEV_QUERY_GPU_INFO.
  [[nodiscard]] GpuInfo gpu_info() const;
  /// DEV_QUERY_CSIF_INFO.
  [[nodiscard]] CsifInfo csif_info() const;
  /// DEV_QUERY_TIMESTAMP_INFO (driver 1.1; `flags` other than none: 1.8). Resumes the GPU. EINVAL for unknown
  /// flags.
  [[nodiscard]] TimestampInfo timestamp_info(TimestampFlags flags = TimestampFlags::none) const;
  /// DEV_QUERY_GROUP_PRIORITIES_INFO (driver 1.2).
  [[nodiscard]] GroupPrioritiesInfo group_priorities_info() const;
  /// DEV_QUERY_MMU_INFO (driver 1.9).
  [[nodiscard]] MmuInfo mmu_info() const;
  /// DEV_QUERY_VA_INFO; nothing when the kernel lacks the series "heap". The driver's version does not tell.
  [[nodiscard]] std::optional<VaInfo> va_info() const;
  /// True when va_info() lists all of `features`.
  [[nodiscard]] bool has_va_features(VaFeatures features) const;

  /// SET_USER_MMIO_OFFSET (driver 1.5): moves the register pages of this open file; for CPU emulators whose
  /// guest has another word size than they have. EINVAL: neither of the two offsets. FlushIdPage has to be
  /// told.
  void set_user_mmio_offset(UserMmioOffset offset) const;

  /// Throws std::system_error(EOPNOTSUPP) "WHAT needs panthor A.B.C, /dev/dri/renderD128 has X.Y.Z" on an
  /// older driver.
  void require(const DriverVersion& at_least, const std::string& what) const;

 private:
  std::shared_ptr<const DrmFile> file_;
  DriverVersion version_;
};

}  // namespace panthor
