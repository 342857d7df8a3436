// SPDX-License-Identifier: MIT
#include "mmu/address_space.hpp"

#include <algorithm>

namespace vgpu {

Region decode_lock_region(uint64_t lockaddr) noexcept {
  constexpr unsigned smallest_log2 = 15;
  const unsigned size_log2 = std::max(static_cast<unsigned>(lockaddr & 0x3f) + 1, smallest_log2);
  if (size_log2 >= 64) return {0, ~uint64_t{0}};
  const uint64_t offset_mask = (uint64_t{1} << size_log2) - 1;
  return {lockaddr & ~offset_mask, lockaddr | offset_mask};
}

void AddressSpace::configure(const AsConfig& config) noexcept {
  config_ = config;
  walk_.root = config.transtab & 0x0000'ffff'ffff'f000;
  walk_.input_bits = std::clamp(as::input_bits(config.transcfg), 25u, 48u);
  walk_.memattr = config.memattr;
  walk_.hierarchical_permissions = (config.transcfg & as::disable_hier_ap) == 0;
  walk_.access_flag_faults = (config.transcfg & as::disable_af_fault) == 0;
  walk_.write_implies_no_execute = (config.transcfg & as::wxn) != 0;
  tlb_.invalidate_all();
  forget_recent();
}

void AddressSpace::lock(const Region& region) noexcept {
  locked_ = region;
  forget_recent();
}

void AddressSpace::unlock() noexcept {
  locked_.reset();
  forget_recent();
}

void AddressSpace::invalidate(const Region& region) noexcept {
  tlb_.invalidate(region.first, region.last);
  forget_recent();
}

void AddressSpace::reset() noexcept {
  configure({});
  locked_.reset();
  stalled = false;
  command_event = 0;
  stuck = false;
}

}  // namespace vgpu
