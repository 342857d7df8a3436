// SPDX-License-Identifier: MIT
#include "mmu/page_walk.hpp"

#include <atomic>

#include "mmu/as_registers.hpp"
#include "mmu/fault_code.hpp"

namespace vgpu {

namespace {

constexpr unsigned last_level = 3;
constexpr uint64_t descriptor_valid = 1u << 0, descriptor_table_or_page = 1u << 1, leaf_read_only = 1u << 7,
                   leaf_access_flag = 1u << 10, leaf_execute_never = 1ull << 54, table_read_only = 1ull << 62,
                   table_execute_never = 1ull << 60;
constexpr uint64_t address_mask = 0x0000'ffff'ffff'f000;

constexpr unsigned shift_of(unsigned level) {
  return 39 - 9 * level;
}

constexpr unsigned start_level(unsigned input_bits) {
  return input_bits > 39 ? 0 : input_bits > 30 ? 1 : 2;
}

constexpr WalkResult faulted(unsigned code, unsigned level = 0, uint64_t address = 0) {
  return {static_cast<uint8_t>(code + level), address, {}};
}

}  // namespace

WalkResult walk_page_table(Memory& memory, const WalkConfig& config, uint64_t va) noexcept {
  if (va >> config.input_bits != 0) return faulted(fault_code::address_size_in);

  uint64_t table = config.root;
  bool writable = true, executable = true;
  for (unsigned level = start_level(config.input_bits);; ++level) {
    if (table >> physical_address_bits != 0) return faulted(fault_code::address_size_out, level);
    const unsigned shift = shift_of(level);
    const uint64_t entry = table + (va >> shift & 0x1ff) * 8;
    const auto bytes = memory.span(entry, 8);
    if (bytes.empty()) return faulted(fault_code::gpu_bus_fault, 0, entry);
    const uint64_t descriptor =
        std::atomic_ref<uint64_t>(*reinterpret_cast<uint64_t*>(bytes.data())).load(std::memory_order_acquire);

    if ((descriptor & descriptor_valid) == 0) return faulted(fault_code::translation, level);
    const bool type_bit = (descriptor & descriptor_table_or_page) != 0;
    const uint64_t address = descriptor & address_mask;

    if (level < last_level && type_bit) {
      if (config.hierarchical_permissions) {
        writable = writable && (descriptor & table_read_only) == 0;
        executable = executable && (descriptor & table_execute_never) == 0;
      }
      table = address;
      continue;
    }
    const bool leaf_allowed = level == last_level ? type_bit : level != 0;
    if (!leaf_allowed) return faulted(fault_code::translation, level);

    const uint64_t offset_mask = (uint64_t{1} << shift) - 1;
    if (address >> physical_address_bits != 0) return faulted(fault_code::address_size_out, level);
    if (as::attribute_faults(config.memattr, static_cast<unsigned>(descriptor >> 2 & 7)))
      return faulted(fault_code::memory_attribute, level);
    if (config.access_flag_faults && (descriptor & leaf_access_flag) == 0)
      return faulted(fault_code::access_flag, level);

    Translation leaf;
    leaf.virtual_base = va & ~offset_mask;
    leaf.physical_base = address & ~offset_mask;
    leaf.shift = static_cast<uint8_t>(shift);
    leaf.level = static_cast<uint8_t>(level);
    leaf.writable = writable && (descriptor & leaf_read_only) == 0;
    leaf.executable = executable && (descriptor & leaf_execute_never) == 0 &&
                      !(config.write_implies_no_execute && leaf.writable);
    return {fault_code::none, 0, leaf};
  }
}

}  // namespace vgpu
