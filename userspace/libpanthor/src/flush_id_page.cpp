// SPDX-License-Identifier: MIT
#include "panthor/flush_id_page.hpp"

#include <unistd.h>

#include "ioctl.hpp"

namespace panthor {

FlushIdPage::FlushIdPage(const Device& device)
    : file_(device.file()),
      page_(file_->fd(), DRM_PANTHOR_USER_FLUSH_ID_MMIO_OFFSET, static_cast<size_t>(::sysconf(_SC_PAGESIZE)),
            Mapping::Protection::read) {}

uint32_t FlushIdPage::current() const noexcept {
  return *static_cast<const volatile uint32_t*>(page_.as<uint32_t>().data());
}

}  // namespace panthor
