// SPDX-License-Identifier: MIT
#include "mmu/tlb.hpp"

#include <algorithm>

namespace vgpu {

Tlb::Tlb()
    : banks_{Bank{12, std::vector<Translation>(1024)}, Bank{21, std::vector<Translation>(128)},
             Bank{30, std::vector<Translation>(16)}} {}

const Translation* Tlb::find(uint64_t va) const noexcept {
  for (const Bank& bank : banks_) {
    const uint64_t page = va >> bank.shift;
    const Translation& slot = bank.slots[page & (bank.slots.size() - 1)];
    if (slot.shift != 0 && slot.virtual_base >> bank.shift == page) return &slot;
  }
  return nullptr;
}

void Tlb::insert(const Translation& leaf) noexcept {
  for (Bank& bank : banks_)
    if (bank.shift == leaf.shift)
      bank.slots[(leaf.virtual_base >> bank.shift) & (bank.slots.size() - 1)] = leaf;
}

void Tlb::invalidate_all() noexcept {
  for (Bank& bank : banks_) std::fill(bank.slots.begin(), bank.slots.end(), Translation{});
}

void Tlb::invalidate(uint64_t first, uint64_t last) noexcept {
  for (Bank& bank : banks_)
    for (Translation& slot : bank.slots) {
      if (slot.shift == 0) continue;
      const uint64_t slot_last = slot.virtual_base + ((uint64_t{1} << slot.shift) - 1);
      if (slot.virtual_base <= last && slot_last >= first) slot = Translation{};
    }
}

}  // namespace vgpu
