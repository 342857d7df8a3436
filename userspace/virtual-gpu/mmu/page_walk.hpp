// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "core/memory.hpp"

namespace vgpu {

/// Physical address bits of a G610 (GPU_MMU_FEATURES[15:8] = 40).
inline constexpr unsigned physical_address_bits = 40;

/// What one AS_COMMAND_UPDATE latched, as the walker needs it.
struct WalkConfig {
  uint64_t root = 0;        ///< physical address of the first table, 4 KiB aligned
  unsigned input_bits = 0;  ///< 25-48
  uint64_t memattr = 0;     ///< AS_MEMATTR
  bool hierarchical_permissions = true;
  bool access_flag_faults = true;
  bool write_implies_no_execute = false;
};

/// A leaf: where a page or block lies and what may be done with it. Reading is always allowed.
struct Translation {
  uint64_t virtual_base = 0, physical_base = 0;  ///< aligned to the size
  uint8_t shift = 0;                             ///< log2 of the size in bytes: 12, 21 or 30
  uint8_t level = 0;                             ///< of the leaf, 1-3, for permission fault codes
  bool writable = false;
  bool executable = false;
};

struct WalkResult {
  uint8_t fault = 0;           ///< fault_code::*, 0 when `leaf` is valid
  uint64_t fault_address = 0;  ///< physical, for fault_code::gpu_bus_fault
  Translation leaf;
};

/// Walks an AArch64 stage-1 table with 4 KiB granule; leaves are 4 KiB pages, 2 MiB and 1 GiB blocks.
///
/// Faults: an address beyond the input size (address_size_in); an invalid descriptor, or a block at level 0,
/// or the reserved type at level 3 (translation + level); a table or leaf beyond 40 bits (address_size_out +
/// level); a leaf without access flag (access_flag + level) or with a faulting attribute (memory_attribute +
/// level); a table that is not RAM (gpu_bus_fault). AP[1] (unprivileged) is ignored: the GPU's accesses count
/// as privileged (assumed). Source of the format: drivers/iommu/io-pgtable-arm.c, ARM_64_LPAE_S1.
[[nodiscard]] WalkResult walk_page_table(Memory& memory, const WalkConfig& config, uint64_t va) noexcept;

}  // namespace vgpu
