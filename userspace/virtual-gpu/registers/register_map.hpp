// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "registers/register_file.hpp"

namespace vgpu {

/// What a guest access to a register does.
enum class AccessRule : uint8_t {
  constant,    ///< reads its reset value for ever; a write is unmodelled
  read_only,   ///< the hardware changes it; a write is unmodelled
  live,        ///< changes by itself (counters, GPU_STATUS): computed at each read; a write is unmodelled
  read_write,  ///< storage: reads back what was written, the hardware looks at it when it needs it
  write_one_clears,  ///< *_INT_CLEAR: reads 0
  write_one_sets,    ///< *_INT_RAWSTAT: a write raises (assumed, as on older Mali); a read gives what is
                     ///< latched
  trigger,           ///< a write starts something; reads 0
};

/// Who gives a write its meaning.
enum class Block : uint8_t { none, gpu_irq, job_irq, mmu_irq, gpu_control, power, mmu, doorbell };

/// One register, or an array of equal ones.
struct RegisterRow {
  uint32_t offset;        ///< bytes from the window's start
  std::string_view name;  ///< the driver's name, without the array index
  uint8_t bytes;          ///< 4 or 8; an 8-byte register is two words, low word first
  uint8_t count;          ///< array length, 1 for a plain register
  uint32_t stride;        ///< bytes between array elements
  AccessRule rule;
  Block block;
  uint64_t
      reset;  ///< value after power-on and after a soft reset, but see GpuControl for what a reset preserves
};

/// Where an offset leads.
struct RegisterRef {
  const RegisterRow* row;
  unsigned index;  ///< array element
  bool high;       ///< the upper word of an 8-byte register
};

/// Every register panthor 1.7 to 1.9 touches on a G610 (panthor_regs.h in 7.0; panthor_gpu_regs.h,
/// panthor_fw_regs.h and panthor_mmu_regs.h in 7.2 and 7.3), in offset order. Reset values are an RK3588's.
[[nodiscard]] std::span<const RegisterRow> register_map() noexcept;

/// The register a word-aligned byte offset belongs to; nullopt when the map has none.
[[nodiscard]] std::optional<RegisterRef> find_register(uint32_t offset) noexcept;

/// "GPU_ID", "AS_TRANSTAB[3]", "AS_TRANSTAB[3].hi": the name the event log uses.
[[nodiscard]] std::string register_name(const RegisterRef& ref);

/// Every word of the map back to its reset value; words outside the map are not touched.
void load_reset_values(RegisterFile& registers) noexcept;

/// Offsets the model's own code names.
namespace reg {
inline constexpr uint32_t gpu_int_base = 0x20, gpu_cmd = 0x30, gpu_status = 0x34, gpu_fault_status = 0x3c,
                          gpu_fault_addr = 0x40, timestamp_offset = 0x88, cycle_count = 0x90,
                          timestamp = 0x98;
inline constexpr uint32_t shader_present = 0x100, tiler_present = 0x110, l2_present = 0x120;
inline constexpr uint32_t shader_ready = 0x140, shader_pwron = 0x180, shader_pwroff = 0x1c0,
                          l2_pwroff = 0x1e0, shader_pwrtrans = 0x200, shader_pwractive = 0x240;
inline constexpr uint32_t power_domain_stride = 0x10;  ///< shader, tiler, L2 follow each other in each bank
inline constexpr uint32_t mcu_control = 0x700, mcu_status = 0x704;
inline constexpr uint32_t job_int_base = 0x1000, mmu_int_base = 0x2000, mmu_as_base = 0x2400,
                          mmu_as_stride = 0x40;
inline constexpr uint32_t latest_flush_id = 0x1'0000;
inline constexpr uint32_t doorbell_base = 0x8'0000, doorbell_stride = 0x1'0000;
inline constexpr unsigned doorbell_count = (RegisterFile::window_size - doorbell_base) / doorbell_stride;
}  // namespace reg

}  // namespace vgpu
