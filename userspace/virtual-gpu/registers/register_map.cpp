// SPDX-License-Identifier: MIT
#include "registers/register_map.hpp"

#include <fmt/format.h>

#include <array>

namespace vgpu {

namespace {

using enum AccessRule;

constexpr uint8_t as_count = 8;
constexpr uint32_t as_stride = reg::mmu_as_stride;

// clang-format off
constexpr std::array rows = std::to_array<RegisterRow>({
    // offset  name                            bytes count stride rule   block                 reset
    {0x00000, "GPU_ID",                            4, 1, 0, constant,    Block::none,         0xa867'0005},
    {0x00004, "GPU_L2_FEATURES",                   4, 1, 0, constant,    Block::none,         0x0712'0306},
    {0x00008, "GPU_CORE_FEATURES",                 4, 1, 0, constant,    Block::none,         0},  // assumed
    {0x0000c, "GPU_TILER_FEATURES",                4, 1, 0, constant,    Block::none,         0x809},
    {0x00010, "GPU_MEM_FEATURES",                  4, 1, 0, constant,    Block::none,         0x301},
    {0x00014, "GPU_MMU_FEATURES",                  4, 1, 0, constant,    Block::none,         0x2830},
    {0x00018, "GPU_AS_PRESENT",                    4, 1, 0, constant,    Block::none,         0xff},
    {0x0001c, "GPU_CSF_ID",                        4, 1, 0, constant,    Block::none,         0x40a'0412},
    {0x00020, "GPU_INT_RAWSTAT",                   4, 1, 0, write_one_sets,   Block::gpu_irq, 0},
    {0x00024, "GPU_INT_CLEAR",                     4, 1, 0, write_one_clears, Block::gpu_irq, 0},
    {0x00028, "GPU_INT_MASK",                      4, 1, 0, read_write,  Block::gpu_irq,      0},
    {0x0002c, "GPU_INT_STAT",                      4, 1, 0, read_only,   Block::none,         0},
    {0x00030, "GPU_CMD",                           4, 1, 0, trigger,     Block::gpu_control,  0},
    {0x00034, "GPU_STATUS",                        4, 1, 0, live,        Block::none,         0},
    {0x0003c, "GPU_FAULT_STATUS",                  4, 1, 0, read_only,   Block::none,         0},
    {0x00040, "GPU_FAULT_ADDR",                    8, 1, 0, read_only,   Block::none,         0},
    {0x00048, "GPU_L2_CONFIG",                     4, 1, 0, read_write,  Block::none,         0},
    {0x00050, "GPU_PWR_KEY",                       4, 1, 0, read_write,  Block::none,         0},
    {0x00054, "GPU_PWR_OVERRIDE0",                 4, 1, 0, read_write,  Block::none,         0},
    {0x00058, "GPU_PWR_OVERRIDE1",                 4, 1, 0, read_write,  Block::none,         0},
    {0x00060, "GPU_FEATURES",                      8, 1, 0, constant,    Block::none,         0},  // arch 11 and later
    {0x00088, "GPU_TIMESTAMP_OFFSET",              8, 1, 0, read_write,  Block::none,         0},
    {0x00090, "GPU_CYCLE_COUNT",                   8, 1, 0, live,        Block::none,         0},
    {0x00098, "GPU_TIMESTAMP",                     8, 1, 0, live,        Block::none,         0},
    {0x000a0, "GPU_THREAD_MAX_THREADS",            4, 1, 0, constant,    Block::none,         2048},
    {0x000a4, "GPU_THREAD_MAX_WORKGROUP_SIZE",     4, 1, 0, constant,    Block::none,         1024},
    {0x000a8, "GPU_THREAD_MAX_BARRIER_SIZE",       4, 1, 0, constant,    Block::none,         1024},
    {0x000ac, "GPU_THREAD_FEATURES",               4, 1, 0, constant,    Block::none,         0x0401'0000},
    {0x000b0, "GPU_TEXTURE_FEATURES_0",            4, 1, 0, constant,    Block::none,         0xc1ff'ff9e},
    {0x000b4, "GPU_TEXTURE_FEATURES_1",            4, 1, 0, constant,    Block::none,         0x00ff'ffff},
    {0x000b8, "GPU_TEXTURE_FEATURES_2",            4, 1, 0, constant,    Block::none,         0x00ff'ffff},
    {0x000bc, "GPU_TEXTURE_FEATURES_3",            4, 1, 0, constant,    Block::none,         0x00ff'ffff},
    {0x00100, "GPU_SHADER_PRESENT",                8, 1, 0, constant,    Block::none,         0x5'0005},
    {0x00110, "GPU_TILER_PRESENT",                 8, 1, 0, constant,    Block::none,         1},
    {0x00120, "GPU_L2_PRESENT",                    8, 1, 0, constant,    Block::none,         1},
    {0x00140, "SHADER_READY",                      8, 1, 0, read_only,   Block::none,         0},
    {0x00150, "TILER_READY",                       8, 1, 0, read_only,   Block::none,         0},
    {0x00160, "L2_READY",                          8, 1, 0, read_only,   Block::none,         0},
    {0x00180, "SHADER_PWRON",                      8, 1, 0, trigger,     Block::power,        0},
    {0x00190, "TILER_PWRON",                       8, 1, 0, trigger,     Block::power,        0},
    {0x001a0, "L2_PWRON",                          8, 1, 0, trigger,     Block::power,        0},
    {0x001c0, "SHADER_PWROFF",                     8, 1, 0, trigger,     Block::power,        0},
    {0x001d0, "TILER_PWROFF",                      8, 1, 0, trigger,     Block::power,        0},
    {0x001e0, "L2_PWROFF",                         8, 1, 0, trigger,     Block::power,        0},
    {0x00200, "SHADER_PWRTRANS",                   8, 1, 0, read_only,   Block::none,         0},
    {0x00210, "TILER_PWRTRANS",                    8, 1, 0, read_only,   Block::none,         0},
    {0x00220, "L2_PWRTRANS",                       8, 1, 0, read_only,   Block::none,         0},
    {0x00240, "SHADER_PWRACTIVE",                  8, 1, 0, read_only,   Block::none,         0},
    {0x00250, "TILER_PWRACTIVE",                   8, 1, 0, read_only,   Block::none,         0},
    {0x00260, "L2_PWRACTIVE",                      8, 1, 0, read_only,   Block::none,         0},
    {0x00280, "GPU_REVID",                         4, 1, 0, constant,    Block::none,         0},  // assumed
    {0x00300, "GPU_COHERENCY_FEATURES",            4, 1, 0, constant,    Block::none,         1},  // ACE-Lite
    {0x00304, "GPU_COHERENCY_PROTOCOL",            4, 1, 0, read_write,  Block::none,         0},
    {0x00700, "MCU_CONTROL",                       4, 1, 0, read_write,  Block::gpu_control,  0},
    {0x00704, "MCU_STATUS",                        4, 1, 0, read_only,   Block::none,         0},
    {0x01000, "JOB_INT_RAWSTAT",                   4, 1, 0, write_one_sets,   Block::job_irq, 0},
    {0x01004, "JOB_INT_CLEAR",                     4, 1, 0, write_one_clears, Block::job_irq, 0},
    {0x01008, "JOB_INT_MASK",                      4, 1, 0, read_write,  Block::job_irq,      0},
    {0x0100c, "JOB_INT_STAT",                      4, 1, 0, read_only,   Block::none,         0},
    {0x02000, "MMU_INT_RAWSTAT",                   4, 1, 0, write_one_sets,   Block::mmu_irq, 0},
    {0x02004, "MMU_INT_CLEAR",                     4, 1, 0, write_one_clears, Block::mmu_irq, 0},
    {0x02008, "MMU_INT_MASK",                      4, 1, 0, read_write,  Block::mmu_irq,      0},
    {0x0200c, "MMU_INT_STAT",                      4, 1, 0, read_only,   Block::none,         0},
    {0x02400, "AS_TRANSTAB",           8, as_count, as_stride, read_write, Block::mmu,        0},
    {0x02408, "AS_MEMATTR",            8, as_count, as_stride, read_write, Block::mmu,        0},
    {0x02410, "AS_LOCKADDR",           8, as_count, as_stride, read_write, Block::mmu,        0},
    {0x02418, "AS_COMMAND",            4, as_count, as_stride, trigger,    Block::mmu,        0},
    {0x0241c, "AS_FAULTSTATUS",        4, as_count, as_stride, read_only,  Block::none,       0},
    {0x02420, "AS_FAULTADDRESS",       8, as_count, as_stride, read_only,  Block::none,       0},
    {0x02428, "AS_STATUS",             4, as_count, as_stride, read_only,  Block::none,       0},
    {0x02430, "AS_TRANSCFG",           8, as_count, as_stride, read_write, Block::mmu,        0},
    {0x02438, "AS_FAULTEXTRA",         8, as_count, as_stride, read_only,  Block::none,       0},
    {reg::latest_flush_id, "CSF_GPU_LATEST_FLUSH_ID", 4, 1, 0, read_only,  Block::none,       1},
    {reg::doorbell_base, "CSF_DOORBELL", 4, reg::doorbell_count, reg::doorbell_stride, trigger, Block::doorbell, 0},
});
// clang-format on

/// Registers below this offset are found through one table lookup, the sparse rest by walking the last rows.
constexpr uint32_t dense_size = 0x2800;
constexpr uint8_t no_row = 0xff;
static_assert(rows.size() < no_row);

constexpr auto dense_index = [] {
  std::array<uint8_t, dense_size / 4> index{};
  index.fill(no_row);
  for (size_t i = 0; i < rows.size(); ++i)
    for (uint32_t n = 0; n < rows[i].count; ++n)
      for (uint32_t byte = 0; byte < rows[i].bytes; byte += 4) {
        const uint32_t offset = rows[i].offset + n * rows[i].stride + byte;
        if (offset < dense_size) index[offset / 4] = static_cast<uint8_t>(i);
      }
  return index;
}();

/// Where in `row` the offset lies; nullopt when it falls between two elements.
std::optional<RegisterRef> within(const RegisterRow& row, uint32_t offset) noexcept {
  if (offset < row.offset) return std::nullopt;
  const uint32_t distance = offset - row.offset;
  const uint32_t index = row.stride ? distance / row.stride : 0;
  const uint32_t byte = distance - index * row.stride;
  if (index >= row.count || byte >= row.bytes) return std::nullopt;
  return RegisterRef{&row, index, byte >= 4};
}

}  // namespace

std::span<const RegisterRow> register_map() noexcept {
  return rows;
}

std::optional<RegisterRef> find_register(uint32_t offset) noexcept {
  if (offset % 4 != 0) return std::nullopt;
  if (offset < dense_size) {
    const uint8_t i = dense_index[offset / 4];
    return i == no_row ? std::nullopt : within(rows[i], offset);
  }
  for (size_t i = rows.size(); i-- > 0 && rows[i].offset >= dense_size;)
    if (auto ref = within(rows[i], offset)) return ref;
  return std::nullopt;
}

std::string register_name(const RegisterRef& ref) {
  std::string name(ref.row->name);
  if (ref.row->count > 1) name += fmt::format("[{}]", ref.index);
  if (ref.high) name += ".hi";
  return name;
}

void load_reset_values(RegisterFile& registers) noexcept {
  for (const RegisterRow& row : rows)
    for (uint32_t n = 0; n < row.count; ++n) {
      const uint32_t offset = row.offset + n * row.stride;
      registers.set(offset, static_cast<uint32_t>(row.reset));
      if (row.bytes == 8) registers.set(offset + 4, static_cast<uint32_t>(row.reset >> 32));
    }
}

}  // namespace vgpu
