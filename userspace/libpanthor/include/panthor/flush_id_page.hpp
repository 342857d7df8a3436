// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>

#include "panthor/device.hpp"
#include "panthor/mapping.hpp"

namespace panthor {

/// The user mapping of the LATEST_FLUSH_ID register (DRM_PANTHOR_USER_FLUSH_ID_MMIO_OFFSET).
class FlushIdPage {
 public:
  /// Maps one page read-only. `offset`: what Device::set_user_mmio_offset() was told. Throws
  /// std::system_error.
  explicit FlushIdPage(const Device& device, UserMmioOffset offset = UserMmioOffset::native);

  /// Id of the last cache flush, for QueueSubmit::latest_flush. 1 while the GPU is suspended
  /// (panthor_mmio_vm_fault() maps a dummy page then).
  [[nodiscard]] uint32_t current() const noexcept;

 private:
  std::shared_ptr<const DrmFile> file_;
  Mapping page_;
};

}  // namespace panthor
