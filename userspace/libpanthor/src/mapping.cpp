// SPDX-License-Identifier: MIT
#include "panthor/mapping.hpp"

#include <sys/mman.h>

#include "ioctl.hpp"

namespace panthor {

Mapping::Mapping(int fd, uint64_t offset, size_t bytes, Protection protection) : size_(bytes) {
  const int prot = protection == Protection::read ? PROT_READ : PROT_READ | PROT_WRITE;
  void* const address = ::mmap(nullptr, bytes, prot, MAP_SHARED, fd, static_cast<off_t>(offset));
  if (address == MAP_FAILED)
    throw call_error(errno, "mmap", fmt::format("offset={:#x}, size={:#x}", offset, bytes));
  address_ = address;
}

Mapping::~Mapping() {
  if (address_ != nullptr) ::munmap(address_, size_);
}

}  // namespace panthor
