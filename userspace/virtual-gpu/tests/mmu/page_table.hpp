// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <cstdint>
#include <stdexcept>

#include "core/memory.hpp"

namespace vgpu::test {

/// Leaf attributes as drivers/iommu/io-pgtable-arm.c sets them for ARM_64_LPAE_S1.
namespace pte {
inline constexpr uint64_t valid = 1u << 0, table_or_page = 1u << 1, unprivileged = 1u << 6,
                          read_only = 1u << 7, access_flag = 1u << 10, execute_never = 3ull << 53;
[[nodiscard]] constexpr uint64_t attribute(unsigned index) {
  return uint64_t{index} << 2;
}
inline constexpr uint64_t read_write = access_flag | unprivileged | execute_never;
}  // namespace pte

/// Builds AArch64 4 KiB-granule stage-1 tables in guest memory, as the driver's io-pgtable does. Tables come
/// from [pool, pool + 4 KiB * n) of the memory, which must read as zero.
class PageTable {
 public:
  PageTable(Memory& memory, uint64_t pool) : memory_(memory), next_(pool), root_(take()) {}

  [[nodiscard]] uint64_t root() const noexcept { return root_; }

  /// A leaf of 2^shift bytes (12, 21 or 30) at `va`; `attributes` are pte:: bits without the type.
  void map(uint64_t va, uint64_t pa, unsigned shift = 12, uint64_t attributes = pte::read_write) {
    const uint64_t type = pte::valid | (shift == 12 ? pte::table_or_page : 0);
    store(leaf_address(va, shift), pa | attributes | type);
  }
  void unmap(uint64_t va, unsigned shift = 12) { store(leaf_address(va, shift), 0); }
  /// Raw descriptor at the level whose entries cover 2^shift bytes.
  void set_entry(uint64_t va, unsigned shift, uint64_t descriptor) {
    store(leaf_address(va, shift), descriptor);
  }
  [[nodiscard]] uint64_t entry(uint64_t va, unsigned shift) { return load(leaf_address(va, shift)); }

 private:
  uint64_t take() {
    const uint64_t table = next_;
    next_ += 4096;
    return table;
  }
  std::atomic_ref<uint64_t> at(uint64_t pa) {
    const auto bytes = memory_.span(pa, 8);
    if (bytes.empty()) throw std::out_of_range("page table outside RAM");
    return std::atomic_ref<uint64_t>(*reinterpret_cast<uint64_t*>(bytes.data()));
  }
  uint64_t load(uint64_t pa) { return at(pa).load(); }
  void store(uint64_t pa, uint64_t value) { at(pa).store(value); }

  /// Address of the descriptor for `va` at that size, making the tables above it.
  uint64_t leaf_address(uint64_t va, unsigned shift) {
    uint64_t table = root_;
    for (unsigned level_shift = 39; level_shift > shift; level_shift -= 9) {
      const uint64_t address = table + (va >> level_shift & 0x1ff) * 8;
      if ((load(address) & pte::valid) == 0) store(address, take() | pte::valid | pte::table_or_page);
      table = load(address) & 0x0000'ffff'ffff'f000;
    }
    return table + (va >> shift & 0x1ff) * 8;
  }

  Memory& memory_;
  uint64_t next_;
  uint64_t root_;
};

}  // namespace vgpu::test
