// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "mmu/page_walk.hpp"

namespace vgpu {

/// What one address space remembers of its page tables: a bounded cache of leaves, by page or block.
///
/// It never looks at memory, so it goes stale as a real one does: only the invalidations below remove an
/// entry, or another leaf that needs its place (direct-mapped; sizes are assumed). Failed walks are not
/// cached. Copies of upper table levels are not modelled (docs/fidelity.md).
class Tlb {
 public:
  Tlb();

  /// The cached leaf over `va`, or nullptr.
  [[nodiscard]] const Translation* find(uint64_t va) const noexcept;
  void insert(const Translation& leaf) noexcept;

  void invalidate_all() noexcept;
  /// Drops every leaf that overlaps [first, last], both inclusive byte addresses.
  void invalidate(uint64_t first, uint64_t last) noexcept;

 private:
  /// One array a leaf size; a slot with shift 0 is empty.
  struct Bank {
    uint8_t shift;
    std::vector<Translation> slots;  ///< a power of two of them
  };
  std::array<Bank, 3> banks_;
};

}  // namespace vgpu
