// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

/// The AS register block and its fields (panthor_mmu_regs.h).
namespace vgpu::as {

/// Byte offsets inside one block of 0x40 bytes.
inline constexpr uint32_t transtab = 0x00, memattr = 0x08, lockaddr = 0x10, command = 0x18,
                          faultstatus = 0x1c, faultaddress = 0x20, status = 0x28, transcfg = 0x30;

/// AS_COMMAND values.
enum class Command : uint32_t { nop = 0, update = 1, lock = 2, unlock = 3, flush_pt = 4, flush_mem = 5 };
inline constexpr uint32_t command_count = 6;

inline constexpr uint32_t status_active = 1u << 0;  ///< AS_STATUS_AS_ACTIVE

/// AS_TRANSCFG[3:0]. 0 is what a reset leaves; it translates nothing, like `unmapped` (assumed).
enum class Mode : uint32_t { reset = 0, unmapped = 1, identity = 2, aarch64_4k = 6, aarch64_64k = 8 };
[[nodiscard]] constexpr Mode mode(uint64_t config) {
  return static_cast<Mode>(config & 0xf);
}

/// Input address bits: AS_TRANSCFG_INA_BITS(55 - va_bits), see panthor_vm_active.
[[nodiscard]] constexpr unsigned input_bits(uint64_t config) {
  return 55 - static_cast<unsigned>(config >> 6 & 0x1f);
}
inline constexpr uint64_t outa_bits = 0x1full << 14;  ///< the driver leaves it 0: all 40 bits of MMU_FEATURES
inline constexpr uint64_t sl_concat = 1ull << 22, disable_hier_ap = 1ull << 33, disable_af_fault = 1ull << 34,
                          wxn = 1ull << 35, xreadable = 1ull << 36;

/// AS_MEMATTR: one byte a memory attribute index; [7:6] == 3 faults (AS_MEMATTR_AARCH64_FAULT).
[[nodiscard]] constexpr bool attribute_faults(uint64_t attributes, unsigned index) {
  return (attributes >> (8 * index + 6) & 3) == 3;
}

}  // namespace vgpu::as
