// SPDX-License-Identifier: MIT
#include "cs/dispatch.hpp"

#include "cs/handlers.hpp"

namespace vgpu::cs {
namespace {

using isa::Opcode;

struct Binding {
  Opcode opcode;
  Handler execute;
};

constexpr Binding bindings[] = {
    {Opcode::nop, handlers::nop},
    {Opcode::move48, handlers::move48},
    {Opcode::move32, handlers::move32},
    {Opcode::wait, handlers::wait},
    {Opcode::run_compute, handlers::run_job},
    {Opcode::run_tiling, handlers::run_job},
    {Opcode::run_idvs, handlers::run_job},
    {Opcode::run_fragment, handlers::run_job},
    {Opcode::run_fullscreen, handlers::run_job},
    {Opcode::finish_tiling, handlers::run_job},
    {Opcode::finish_fragment, handlers::deferrable},
    {Opcode::add_imm32, handlers::add_imm32},
    {Opcode::add_imm64, handlers::add_imm64},
    {Opcode::umin32, handlers::umin32},
    {Opcode::load_multiple, handlers::load_multiple},
    {Opcode::store_multiple, handlers::store_multiple},
    {Opcode::branch, handlers::branch},
    {Opcode::set_sb_entry, handlers::set_sb_entry},
    {Opcode::progress_wait, handlers::progress_wait},
    {Opcode::set_exception_handler, handlers::set_exception_handler},
    {Opcode::call, handlers::call},
    {Opcode::jump, handlers::jump},
    {Opcode::req_resource, handlers::req_resource},
    {Opcode::flush_cache2, handlers::deferrable},
    {Opcode::sync_add32, handlers::deferrable},
    {Opcode::sync_set32, handlers::deferrable},
    {Opcode::sync_wait32, handlers::sync_wait32},
    {Opcode::store_state, handlers::deferrable},
    {Opcode::prot_region, handlers::prot_region},
    {Opcode::progress_store, handlers::progress_store},
    {Opcode::progress_load, handlers::progress_load},
    {Opcode::run_compute_indirect, handlers::run_job},
    {Opcode::error_barrier, handlers::error_barrier},
    {Opcode::heap_set, handlers::heap_set},
    {Opcode::heap_operation, handlers::deferrable},
    {Opcode::trace_point, handlers::deferrable},
    {Opcode::sync_add64, handlers::deferrable},
    {Opcode::sync_set64, handlers::deferrable},
    {Opcode::sync_wait64, handlers::sync_wait64},
};
static_assert(std::size(bindings) == isa::instruction_set.size(), "every instruction has one handler");

constexpr void add_field(DispatchRow& row, const isa::Field& field) {
  const bool pair = field.kind == isa::Kind::reg64 || field.kind == isa::Kind::address;
  if (field.kind == isa::Kind::reg || pair) {
    const uint64_t limit = register_count - (pair ? 1 : 0);
    row.register_bias |= (128 - limit) << field.start;
    row.register_top |= uint64_t{0x80} << field.start;
  } else if (field.kind == isa::Kind::named) {
    // state is 8 bits wide but has 4 values; the high bits that no value uses are as good as reserved.
    DispatchRow::NamedField& named = row.named.at(row.named_count++);
    named.start = field.start;
    named.width = field.width < 4 ? field.width : uint8_t{4};
    row.reserved |= field.word_mask() & ~(((uint64_t{1} << named.width) - 1) << field.start);
    for (const isa::Name& name : field.names) {
      if (name.value >= 16) throw "named values fit four bits";
      named.legal = static_cast<uint16_t>(named.legal | 1u << name.value);
    }
  }
}

constexpr std::array<DispatchRow, 256> build() {
  std::array<DispatchRow, 256> table{};
  for (const Binding& binding : bindings) {
    const isa::Instruction& instruction = isa::instruction(binding.opcode);
    DispatchRow& row = table.at(static_cast<uint8_t>(binding.opcode));
    row.execute = binding.execute;
    row.reserved = instruction.must_be_zero();
    for (const isa::Field& field : instruction.fields()) add_field(row, field);
  }
  return table;
}

}  // namespace

constinit const std::array<DispatchRow, 256> dispatch_table = build();

}  // namespace vgpu::cs
