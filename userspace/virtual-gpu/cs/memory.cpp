// SPDX-License-Identifier: MIT
#include <array>
#include <bit>

#include "cs/handlers.hpp"

// LOAD/STORE_MULTIPLE are asynchronous on hardware, on the "other" scoreboard entry. Here they complete at
// issue (assumed): a register read before the WAIT holds the loaded value, and the entry never counts them.
namespace vgpu::cs::handlers {
namespace {

constexpr isa::Field base_field = isa::field(isa::Opcode::load_multiple, "base");
constexpr isa::Field mask_field = isa::field(isa::Opcode::load_multiple, "mask");
constexpr isa::Field address_field = isa::field(isa::Opcode::load_multiple, "address");
constexpr isa::Field offset_field = isa::field(isa::Opcode::load_multiple, "offset");

constexpr unsigned words = 16;

struct Transfer {
  unsigned base;
  unsigned mask;
  uint64_t va;  ///< of register `base`

  explicit Transfer(const Context& context, uint64_t word)
      : base(static_cast<unsigned>(base_field.raw(word))),
        mask(static_cast<unsigned>(mask_field.raw(word))),
        va(reg64(context, static_cast<unsigned>(address_field.raw(word))) +
           static_cast<uint64_t>(offset_field.value(word))) {}

  [[nodiscard]] bool in_register_file() const {
    return base + static_cast<unsigned>(std::bit_width(mask)) <= register_count;
  }
};

/// Translates every word before any is moved, so that a stall leaves nothing half done.
AccessResult map_all(Core& core, const Transfer& transfer, Access access, std::array<uint32_t*, words>& host,
                     uint64_t& failed_va) {
  Mmu::Lookup window;  // the last translation, and where it starts
  uint64_t window_va = 0;
  for (unsigned i = 0; i < words; ++i) {
    if (!(transfer.mask >> i & 1)) continue;
    const uint64_t va = failed_va = transfer.va + 4ull * i;
    if (va % 4) return AccessResult::aborted;
    if (va - window_va >= window.contiguous) {
      window = core.environment.translate(va, access);
      if (window.result != AccessResult::ok) return window.result;
      window_va = va;
    }
    host[i] = reinterpret_cast<uint32_t*>(window.host + (va - window_va));
  }
  return AccessResult::ok;
}

}  // namespace

Step load_multiple(Core& core, Context& context, uint64_t word) {
  const Transfer transfer(context, word);
  if (!transfer.in_register_file()) return core.invalid(context, word);
  std::array<uint32_t*, words> host{};
  uint64_t failed_va = 0;
  const AccessResult result = map_all(core, transfer, Access::read, host, failed_va);
  if (result != AccessResult::ok) return core.failed_access(context, result, failed_va);
  for (unsigned i = 0; i < words; ++i)
    if (host[i])
      context.reg[transfer.base + i] = std::atomic_ref<uint32_t>(*host[i]).load(std::memory_order_acquire);
  return Step::next;
}

Step store_multiple(Core& core, Context& context, uint64_t word) {
  const Transfer transfer(context, word);
  if (!transfer.in_register_file()) return core.invalid(context, word);
  std::array<uint32_t*, words> host{};
  uint64_t failed_va = 0;
  const AccessResult result = map_all(core, transfer, Access::write, host, failed_va);
  if (result != AccessResult::ok) return core.failed_access(context, result, failed_va);
  for (unsigned i = 0; i < words; ++i)
    if (host[i])
      std::atomic_ref<uint32_t>(*host[i]).store(context.reg[transfer.base + i], std::memory_order_release);
  ++core.effects;
  return Step::next;
}

}  // namespace vgpu::cs::handlers
