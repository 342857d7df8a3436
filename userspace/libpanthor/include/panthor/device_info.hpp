// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <optional>

#include "panthor/bit_flags.hpp"

namespace panthor {

/// How the GPU and the CPU caches are kept coherent (enum drm_panthor_gpu_coherency).
enum class Coherency : uint32_t { ace_lite = 0, ace = 1, none = 31 };

/// The GPU's identity and feature registers (struct drm_panthor_gpu_info). Fields a kernel does not know are
/// 0.
struct GpuInfo {
  uint32_t gpu_id = 0;   ///< GPU_ID: arch, product and version fields, see the accessors
  uint32_t gpu_rev = 0;  ///< REVIDR
  uint32_t csf_id = 0;
  uint32_t l2_features = 0;
  uint32_t tiler_features = 0;
  uint32_t mem_features = 0;
  uint32_t mmu_features = 0;
  uint32_t thread_features = 0;
  uint32_t max_threads = 0;                ///< threads a core can hold
  uint32_t thread_max_workgroup_size = 0;  ///< threads
  uint32_t thread_max_barrier_size = 0;    ///< threads that may wait on one barrier
  uint32_t coherency_features = 0;         ///< bits of the protocols the GPU could use
  std::array<uint32_t, 4> texture_features{};
  uint32_t as_present = 0;  ///< a bit for each hardware address space
  Coherency selected_coherency = Coherency::none;
  uint64_t shader_present = 0;  ///< a bit for each shader core
  uint64_t l2_present = 0;
  uint64_t tiler_present = 0;
  uint32_t core_features = 0;
  uint64_t gpu_features = 0;

  [[nodiscard]] constexpr unsigned arch_major() const { return gpu_id >> 28; }
  [[nodiscard]] constexpr unsigned arch_minor() const { return (gpu_id >> 24) & 0xf; }
  [[nodiscard]] constexpr unsigned arch_rev() const { return (gpu_id >> 20) & 0xf; }
  [[nodiscard]] constexpr unsigned product_major() const { return (gpu_id >> 16) & 0xf; }
  [[nodiscard]] constexpr unsigned version_major() const { return (gpu_id >> 12) & 0xf; }
  [[nodiscard]] constexpr unsigned version_minor() const { return (gpu_id >> 4) & 0xff; }
  [[nodiscard]] constexpr unsigned version_status() const { return gpu_id & 0xf; }
  /// Virtual address bits of a GPU VM, user and kernel part together.
  [[nodiscard]] constexpr unsigned va_bits() const { return mmu_features & 0xff; }
  [[nodiscard]] constexpr unsigned pa_bits() const { return (mmu_features >> 8) & 0xff; }
  [[nodiscard]] constexpr unsigned l2_line_bytes() const { return 1u << (l2_features & 0xff); }
  [[nodiscard]] constexpr uint64_t l2_slice_bytes() const { return 1ull << ((l2_features >> 16) & 0xff); }
};

/// Limits of the command-stream interface (struct drm_panthor_csif_info).
struct CsifInfo {
  uint32_t csg_slot_count = 0;            ///< groups the firmware runs at once
  uint32_t cs_slot_count = 0;             ///< queues of one group, at most
  uint32_t cs_reg_count = 0;              ///< 32-bit registers of a command stream
  uint32_t scoreboard_slot_count = 0;     ///< scoreboard entries of a command stream
  uint32_t unpreserved_cs_reg_count = 0;  ///< the last registers; the kernel's call sequence overwrites them
};

/// What to read with Device::timestamp_info() (enum drm_panthor_timestamp_info_flags).
enum class TimestampFlags : uint32_t {
  none = 0,  ///< the kernel's default: gpu | gpu_offset | frequency
  gpu = 1u << 0,
  cpu_monotonic = 1u << 1,
  cpu_monotonic_raw = 2u << 1,
  gpu_offset = 1u << 4,
  gpu_cycle_count = 1u << 5,
  frequency = 1u << 6,
  duration = 1u << 7,
};
template <>
inline constexpr bool is_bit_flags<TimestampFlags> = true;

/// Clocks read together (struct drm_panthor_timestamp_info). What was not asked for is 0.
struct TimestampInfo {
  uint64_t frequency_hz = 0;  ///< of the GPU timestamp; 0 when the kernel does not know it
  uint64_t timestamp = 0;     ///< GPU timestamp, ticks
  uint64_t offset = 0;        ///< ticks
  uint64_t cycle_count = 0;   ///< GPU core cycles
  std::chrono::nanoseconds cpu_time{0};
  std::chrono::nanoseconds duration{0};  ///< how long the reading took
};

/// Scheduling priority of a group (enum drm_panthor_group_priority). High and realtime need CAP_SYS_NICE or
/// DRM master.
enum class GroupPriority : uint8_t { low = 0, medium = 1, high = 2, realtime = 3 };
inline constexpr unsigned group_priority_count = 4;

/// Priorities this file may create groups with (struct drm_panthor_group_priorities_info).
struct GroupPrioritiesInfo {
  uint8_t allowed_mask = 0;  ///< bit n: GroupPriority n

  [[nodiscard]] constexpr bool allows(GroupPriority priority) const {
    return (allowed_mask >> static_cast<unsigned>(priority)) & 1;
  }
};

/// What the GPU's MMU can map (struct drm_panthor_mmu_info, driver 1.9).
struct MmuInfo {
  uint64_t page_size_bitmap = 0;  ///< bit n: pages of 2^n bytes
};

/// What a kernel with the series "heap" can do with a VM's addresses (enum drm_panthor_va_features).
enum class VaFeatures : uint32_t {
  none = 0,
  heap = 1u << 0,            ///< VirtualMemory with a heap, BindOp::place()
  alloc_on_fault = 1u << 1,  ///< BoFlags::alloc_on_fault
  discardable = 1u << 2,     ///< BoFlags::discardable
};
template <>
inline constexpr bool is_bit_flags<VaFeatures> = true;

/// The address space of a VM (struct drm_panthor_va_info). Sizes and addresses in bytes.
struct VaInfo {
  uint32_t va_bits = 0;
  VaFeatures features = VaFeatures::none;
  uint64_t max_user_va_range = 0;      ///< largest range VirtualMemory can be made with
  uint64_t default_user_va_range = 0;  ///< what a range of 0 becomes
  uint64_t min_kernel_va_range = 0;    ///< what the kernel keeps in any case
  uint64_t page_size_bitmap = 0;       ///< as in MmuInfo
  uint64_t min_heap_start = 0;
  uint64_t default_heap_start = 0;
  uint64_t default_heap_size = 0;    ///< with the default range
  uint64_t max_placement_align = 0;  ///< largest Placement::alignment
  uint64_t max_scratch_size = 0;     ///< largest buffer with BoFlags::alloc_on_fault
};

}  // namespace panthor
