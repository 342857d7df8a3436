// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "core/event_queue.hpp"
#include "mmu/as_registers.hpp"
#include "mmu/page_walk.hpp"
#include "mmu/tlb.hpp"

namespace vgpu {

/// Both ends inclusive, so that the whole 64-bit space is a region too.
struct Region {
  uint64_t first, last;
  [[nodiscard]] bool contains(uint64_t va) const noexcept { return va >= first && va <= last; }
};

/// AS_LOCKADDR: [5:0] is log2(size) - 1, the rest the start, whose bits below the size are ignored. Sizes
/// below 32 KiB are taken as 32 KiB (AS_LOCK_REGION_MIN_SIZE). Source: panthor_mmu.c pack_region_range.
[[nodiscard]] Region decode_lock_region(uint64_t lockaddr) noexcept;

/// The registers AS_COMMAND_UPDATE latches.
struct AsConfig {
  uint64_t transtab = 0, memattr = 0, transcfg = 0;
  [[nodiscard]] as::Mode mode() const noexcept { return as::mode(transcfg); }
  [[nodiscard]] bool translates() const noexcept {
    return mode() == as::Mode::identity || mode() == as::Mode::aarch64_4k;
  }
};

/// The state of one address space between register writes: what is latched, cached, locked and pending.
class AddressSpace {
 public:
  /// A recent translation with its host address, one 4 KiB page of a leaf: the first thing an access looks
  /// at. A subset of what the TLB may hold, so it must go at every invalidation, lock and change of mode.
  struct Recent {
    uint64_t page = ~uint64_t{0};  ///< va >> 12
    uint64_t end = 0;              ///< first VA after the bytes contiguous on the host
    std::byte* host = nullptr;     ///< of the page's first byte
    uint32_t allowed = 0;          ///< bit n: Access n is permitted
  };
  static constexpr size_t recent_count = 64;

  [[nodiscard]] const Recent& recent(uint64_t va) const noexcept {
    return recent_[(va >> 12) % recent_count];
  }
  void remember(const Recent& entry) noexcept { recent_[entry.page % recent_count] = entry; }
  void forget_recent() noexcept { recent_.fill(Recent{}); }

  /// UPDATE: the new configuration, an empty TLB.
  void configure(const AsConfig& config) noexcept;
  [[nodiscard]] const AsConfig& config() const noexcept { return config_; }
  [[nodiscard]] const WalkConfig& walk_config() const noexcept { return walk_; }

  void lock(const Region& region) noexcept;
  void unlock() noexcept;
  [[nodiscard]] const std::optional<Region>& locked() const noexcept { return locked_; }
  [[nodiscard]] bool locked_at(uint64_t va) const noexcept { return locked_ && locked_->contains(va); }

  [[nodiscard]] const Translation* cached(uint64_t va) const noexcept { return tlb_.find(va); }
  void cache(const Translation& leaf) noexcept { tlb_.insert(leaf); }
  void invalidate(const Region& region) noexcept;

  void reset() noexcept;

  /// A translation fault was met and no command has told the stalled accesses to go on since.
  bool stalled = false;
  /// The command in flight (AS_STATUS.AS_ACTIVE), or 0. A stuck one has `stuck` set and no event.
  EventQueue::Id command_event = 0;
  bool stuck = false;
  [[nodiscard]] bool busy() const noexcept { return command_event != 0 || stuck; }

 private:
  AsConfig config_;
  WalkConfig walk_;
  std::optional<Region> locked_;
  Tlb tlb_;
  std::array<Recent, recent_count> recent_{};
};

}  // namespace vgpu
