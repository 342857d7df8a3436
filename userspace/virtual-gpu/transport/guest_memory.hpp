// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/memory.hpp"
#include "common/unique_fd.hpp"

namespace vgpu::transport {

using common::UniqueFd;

/// One region of guest RAM as the guest announces it; all in bytes.
struct RegionInfo {
  uint64_t guest_address;   ///< guest physical
  uint64_t size;            ///< not 0
  uint64_t user_address;    ///< where the guest process has it mapped: ring addresses are given in these
  uint64_t mapping_offset;  ///< of the region in its file
};

/// Guest RAM mapped from the files the guest hands over.
class GuestMemory final : public Memory {
 public:
  static constexpr size_t max_regions = 8;

  GuestMemory() = default;
  ~GuestMemory() override { clear(); }
  GuestMemory(const GuestMemory&) = delete;
  GuestMemory& operator=(const GuestMemory&) = delete;

  /// Replaces the whole table, one file a region. Throws ProtocolError for sizes, overlaps, overflows and
  /// files too short (a later truncation by the guest is the guest's own ruin: it kills this process with
  /// SIGBUS); the old table stays then.
  void set_table(std::span<const RegionInfo> table, std::span<const UniqueFd> files);
  void clear() noexcept;

  [[nodiscard]] std::span<std::byte> span(uint64_t pa, uint64_t len) noexcept override;
  /// The same by address in the guest process.
  [[nodiscard]] std::span<std::byte> user_span(uint64_t address, uint64_t len) noexcept;

 private:
  struct Region {
    uint64_t guest_address;
    uint64_t user_address;
    uint64_t size;
    std::byte* host;
  };
  static Region map(const RegionInfo& info, const UniqueFd& file);
  static void unmap(std::span<const Region> regions) noexcept;

  std::vector<Region> regions_;
};

}  // namespace vgpu::transport
