// SPDX-License-Identifier: MIT
#include "panthor/flush_id_page.hpp"

#include <unistd.h>

#include "ioctl.hpp"

namespace panthor {

/// The page among the register pages.
constexpr uint64_t flush_id_page = DRM_PANTHOR_USER_FLUSH_ID_MMIO_OFFSET - DRM_PANTHOR_USER_MMIO_OFFSET;

FlushIdPage::FlushIdPage(const Device& device, UserMmioOffset offset)
    : file_(device.file()),
      page_(file_->fd(), static_cast<uint64_t>(offset) + flush_id_page,
            static_cast<size_t>(::sysconf(_SC_PAGESIZE)), Mapping::Protection::read) {}

uint32_t FlushIdPage::current() const noexcept {
  return *static_cast<const volatile uint32_t*>(page_.as<uint32_t>().data());
}

}  // namespace panthor
