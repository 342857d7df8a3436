// SPDX-License-Identifier: MIT
#include "transport/guest_memory.hpp"

#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>
#include <limits>

#include "transport/protocol_error.hpp"

namespace vgpu::transport {
namespace {

constexpr uint64_t page_size = 4096;

bool overflows(uint64_t start, uint64_t size) {
  return start > std::numeric_limits<uint64_t>::max() - size;
}

bool overlap(uint64_t a, uint64_t a_size, uint64_t b, uint64_t b_size) {
  return a < b + b_size && b < a + a_size;
}

void validate(std::span<const RegionInfo> table) {
  for (size_t i = 0; i < table.size(); ++i) {
    const RegionInfo& r = table[i];
    if (r.size == 0 || r.size % page_size || r.guest_address % page_size || r.mapping_offset % page_size)
      throw ProtocolError(fmt::format("memory region {}: size or address is not a number of pages", i));
    if (overflows(r.guest_address, r.size) || overflows(r.user_address, r.size) ||
        overflows(r.mapping_offset, r.size))
      throw ProtocolError(fmt::format("memory region {} wraps around", i));
    for (const RegionInfo& other : table.first(i))
      if (overlap(r.guest_address, r.size, other.guest_address, other.size) ||
          overlap(r.user_address, r.size, other.user_address, other.size))
        throw ProtocolError(fmt::format("memory region {} overlaps another", i));
  }
}

}  // namespace

GuestMemory::Region GuestMemory::map(const RegionInfo& info, const UniqueFd& file) {
  struct stat status {};
  if (::fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode))
    throw ProtocolError("memory region: not a regular file");
  if (status.st_size < 0 || static_cast<uint64_t>(status.st_size) < info.mapping_offset + info.size)
    throw ProtocolError("memory region: the file is shorter than the region");
  void* host = ::mmap(nullptr, info.size, PROT_READ | PROT_WRITE, MAP_SHARED, file.get(),
                      static_cast<off_t>(info.mapping_offset));
  if (host == MAP_FAILED) throw ProtocolError(fmt::format("memory region: mmap: {}", std::strerror(errno)));
  return {info.guest_address, info.user_address, info.size, static_cast<std::byte*>(host)};
}

void GuestMemory::unmap(std::span<const Region> regions) noexcept {
  for (const Region& region : regions) ::munmap(region.host, region.size);
}

void GuestMemory::set_table(std::span<const RegionInfo> table, std::span<const UniqueFd> files) {
  if (table.empty() || table.size() > max_regions || table.size() != files.size())
    throw ProtocolError(fmt::format("memory table of {} regions with {} files", table.size(), files.size()));
  validate(table);

  std::vector<Region> mapped;
  mapped.reserve(table.size());
  try {
    for (size_t i = 0; i < table.size(); ++i) mapped.push_back(map(table[i], files[i]));
  } catch (...) {
    unmap(mapped);
    throw;
  }
  clear();
  regions_ = std::move(mapped);
}

void GuestMemory::clear() noexcept {
  unmap(regions_);
  regions_.clear();
}

std::span<std::byte> GuestMemory::span(uint64_t pa, uint64_t len) noexcept {
  if (len == 0) return {};
  for (const Region& r : regions_)
    if (pa >= r.guest_address && len <= r.size && pa - r.guest_address <= r.size - len)
      return {r.host + (pa - r.guest_address), static_cast<size_t>(len)};
  return {};
}

std::span<std::byte> GuestMemory::user_span(uint64_t address, uint64_t len) noexcept {
  if (len == 0) return {};
  for (const Region& r : regions_)
    if (address >= r.user_address && len <= r.size && address - r.user_address <= r.size - len)
      return {r.host + (address - r.user_address), static_cast<size_t>(len)};
  return {};
}

}  // namespace vgpu::transport
