// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <stdexcept>
#include <string_view>

#include "panthor/isa/opcodes.hpp"

namespace panthor::isa {

/// What a field holds: how it is range-checked, executed and printed.
enum class Kind : uint8_t {
  reg,      ///< 32-bit register index
  reg64,    ///< first of a register pair
  address,  ///< first of a register pair that holds a GPU VA
  imm,      ///< unsigned, printed in hexadecimal
  simm,     ///< two's complement
  number,   ///< unsigned, printed in decimal
  mask,     ///< one bit a scoreboard entry, register or resource
  flag,     ///< one bit
  named,    ///< one of Field::names
  ignored,  ///< any value, no effect
};

/// A legal value of a Kind::named field.
struct Name {
  uint8_t value;
  std::string_view text;
};

/// A bit field: bits [start, start + width) of the instruction word.
struct Field {
  std::string_view name;
  uint8_t start = 0;
  uint8_t width = 0;
  Kind kind = Kind::ignored;
  std::span<const Name> names{};

  [[nodiscard]] constexpr uint64_t low_mask() const noexcept { return (uint64_t{1} << width) - 1; }
  [[nodiscard]] constexpr uint64_t word_mask() const noexcept { return low_mask() << start; }
  /// Raw, zero-extended value of the field in `word`.
  [[nodiscard]] constexpr uint64_t raw(uint64_t word) const noexcept { return word >> start & low_mask(); }
  /// Value of the field in `word`, sign-extended for Kind::simm.
  [[nodiscard]] constexpr int64_t value(uint64_t word) const noexcept {
    const uint64_t bits = raw(word);
    if (kind != Kind::simm) return static_cast<int64_t>(bits);
    const uint64_t sign = uint64_t{1} << (width - 1);
    return static_cast<int64_t>((bits ^ sign) - sign);
  }
  /// Text of a Kind::named value; empty when the value is not legal.
  [[nodiscard]] constexpr std::string_view text(uint64_t bits) const noexcept {
    for (const Name& legal : names)
      if (legal.value == bits) return legal.text;
    return {};
  }
};

inline constexpr size_t max_fields = 11;

/// One row of the instruction set.
struct Instruction {
  Opcode opcode{};
  std::string_view mnemonic;
  std::array<Field, max_fields> field_storage{};
  uint8_t field_count = 0;

  constexpr Instruction() = default;
  constexpr Instruction(Opcode code, std::string_view text, std::initializer_list<Field> list)
      : opcode(code), mnemonic(text) {
    for (const Field& field : list) field_storage.at(field_count++) = field;
  }

  [[nodiscard]] constexpr std::span<const Field> fields() const noexcept {
    return std::span(field_storage).first(field_count);
  }
  /// field_count when the instruction has no such field. (Indices, not pointers: g++ 12 with UBSan takes no
  /// null pointer tests in constant expressions.)
  [[nodiscard]] constexpr size_t index_of(std::string_view name) const noexcept {
    size_t i = 0;
    while (i < field_count && field_storage[i].name != name) ++i;
    return i;
  }
  /// nullptr when the instruction has no such field.
  [[nodiscard]] constexpr const Field* find(std::string_view name) const noexcept {
    const size_t i = index_of(name);
    return i < field_count ? &field_storage[i] : nullptr;
  }
  /// Bits outside every field and the opcode: hardware reserves them.
  [[nodiscard]] constexpr uint64_t must_be_zero() const noexcept {
    uint64_t used = uint64_t{0xff} << 56;
    for (const Field& field : fields()) used |= field.word_mask();
    return ~used;
  }
};

namespace names {
inline constexpr std::array<Name, 7> condition{
    {{0, "le"}, {1, "gt"}, {2, "eq"}, {3, "ne"}, {4, "lt"}, {5, "ge"}, {6, "always"}}};
inline constexpr std::array<Name, 2> wait_condition{{{0, "le"}, {1, "gt"}}};
inline constexpr std::array<Name, 4> state{
    {{0, "timestamp"}, {1, "cycle_count"}, {2, "disjoint_count"}, {3, "error_status"}}};
inline constexpr std::array<Name, 3> l2_flush{{{0, "nop_l2"}, {1, "clean_l2"}, {3, "clean_inv_l2"}}};
inline constexpr std::array<Name, 3> lsc_flush{{{0, "nop_lsc"}, {1, "clean_lsc"}, {3, "clean_inv_lsc"}}};
inline constexpr std::array<Name, 2> other_flush{{{0, "nop_other"}, {2, "inv_other"}}};
inline constexpr std::array<Name, 2> scope{{{0, "system"}, {1, "csg"}}};
inline constexpr std::array<Name, 3> heap_op{{{0, "vt_start"}, {1, "vt_end"}, {3, "frag_end"}}};
inline constexpr std::array<Name, 3> axis{{{0, "x_axis"}, {1, "y_axis"}, {2, "z_axis"}}};
inline constexpr std::array<Name, 5> tile_order{
    {{0, "z_order"}, {1, "horizontal"}, {2, "vertical"}, {5, "reverse_horizontal"}, {6, "reverse_vertical"}}};
}  // namespace names

namespace shared {
// Fields that many instructions share, in one place.
inline constexpr Field wait_mask{"wait", 16, 16, Kind::mask};
inline constexpr Field signal_slot{"signal", 48, 4, Kind::number};
inline constexpr Field progress_increment{"progress_increment", 32, 1, Kind::flag};
inline constexpr Field flags_override{"flags_override", 0, 32, Kind::imm};
inline constexpr Field srt_select{"srt", 40, 2, Kind::number};
inline constexpr Field spd_select{"spd", 42, 2, Kind::number};
inline constexpr Field tsd_select{"tsd", 44, 2, Kind::number};
inline constexpr Field fau_select{"fau", 46, 2, Kind::number};
inline constexpr Field error_propagate{"error_propagate", 0, 1, Kind::flag};
inline constexpr Field scope{"scope", 2, 1, Kind::named, names::scope};
inline constexpr Field address40{"address", 40, 8, Kind::address};
inline constexpr Field offset16{"offset", 0, 16, Kind::simm};
inline constexpr Field register_mask{"mask", 16, 16, Kind::mask};

constexpr Instruction sync_update(Opcode opcode, std::string_view mnemonic, Kind data) {
  return {
      opcode, mnemonic, {error_propagate, scope, address40, {"data", 32, 8, data}, signal_slot, wait_mask}};
}
constexpr Instruction sync_wait(Opcode opcode, std::string_view mnemonic, Kind data) {
  return {opcode,
          mnemonic,
          {{"condition", 28, 4, Kind::named, names::wait_condition},
           {"error_reject", 0, 1, Kind::flag},
           address40,
           {"data", 32, 8, data}}};
}
}  // namespace shared

/// The instruction set: field names are what encode() takes and disassemble() prints. Genxml's "Scoreboard
/// entry/slot" is `signal` here, its "Wait mask/Scoreboard mask/Slots" is `wait`.
///
/// Most layouts are those of genxml v10.xml. Bit 32 of WAIT is in IGT's lib/igt_panthor.h. Assumed, because
/// the v10.xml this was checked against has no struct or no such field: RUN_TILING, RUN_FULLSCREEN,
/// RUN_COMPUTE_INDIRECT, SET_EXCEPTION_HANDLER, the `progress_increment` of RUN_* and FINISH_TILING,
/// RUN_FRAGMENT's `tile_order`.
inline constexpr std::array<Instruction, 39> instruction_set{{
    {Opcode::nop, "NOP", {{"ignored", 0, 56, Kind::ignored}}},
    {Opcode::move48, "MOVE48", {{"destination", 48, 8, Kind::reg64}, {"immediate", 0, 48, Kind::imm}}},
    {Opcode::move32, "MOVE32", {{"destination", 48, 8, Kind::reg}, {"immediate", 0, 32, Kind::imm}}},
    {Opcode::wait, "WAIT", {shared::progress_increment, shared::wait_mask}},
    {Opcode::run_compute,
     "RUN_COMPUTE",
     {{"axis", 14, 2, Kind::named, names::axis},
      {"task_increment", 0, 14, Kind::number},
      shared::progress_increment,
      shared::srt_select,
      shared::spd_select,
      shared::tsd_select,
      shared::fau_select}},
    {Opcode::run_tiling,
     "RUN_TILING",
     {shared::flags_override, shared::progress_increment, shared::srt_select, shared::spd_select,
      shared::tsd_select, shared::fau_select}},
    {Opcode::run_idvs,
     "RUN_IDVS",
     {shared::flags_override,
      shared::progress_increment,
      {"malloc_enable", 33, 1, Kind::flag},
      {"draw_id_enable", 34, 1, Kind::flag},
      {"varying_srt", 35, 1, Kind::flag},
      {"varying_fau", 36, 1, Kind::flag},
      {"varying_tsd", 37, 1, Kind::flag},
      {"fragment_srt", 38, 1, Kind::flag},
      {"fragment_tsd", 39, 1, Kind::flag},
      {"draw_id", 40, 8, Kind::reg}}},
    {Opcode::run_fragment,
     "RUN_FRAGMENT",
     {{"enable_tem", 0, 1, Kind::flag},
      {"tile_order", 4, 4, Kind::named, names::tile_order},
      shared::progress_increment}},
    {Opcode::run_fullscreen,
     "RUN_FULLSCREEN",
     {shared::flags_override, shared::progress_increment, {"dcd", 40, 8, Kind::address}}},
    {Opcode::finish_tiling, "FINISH_TILING", {shared::progress_increment}},
    {Opcode::finish_fragment,
     "FINISH_FRAGMENT",
     {{"frag_end", 0, 1, Kind::flag},
      {"last_chunk", 32, 8, Kind::reg64},
      {"first_chunk", 40, 8, Kind::reg64},
      shared::signal_slot,
      shared::wait_mask}},
    {Opcode::add_imm32,
     "ADD_IMM32",
     {{"destination", 48, 8, Kind::reg}, {"source", 40, 8, Kind::reg}, {"immediate", 0, 32, Kind::simm}}},
    {Opcode::add_imm64,
     "ADD_IMM64",
     {{"destination", 48, 8, Kind::reg64}, {"source", 40, 8, Kind::reg64}, {"immediate", 0, 32, Kind::simm}}},
    {Opcode::umin32,
     "UMIN32",
     {{"destination", 48, 8, Kind::reg}, {"source1", 32, 8, Kind::reg}, {"source2", 40, 8, Kind::reg}}},
    {Opcode::load_multiple,
     "LOAD_MULTIPLE",
     {{"base", 48, 8, Kind::reg}, shared::register_mask, shared::address40, shared::offset16}},
    {Opcode::store_multiple,
     "STORE_MULTIPLE",
     {{"base", 48, 8, Kind::reg}, shared::register_mask, shared::address40, shared::offset16}},
    {Opcode::branch,
     "BRANCH",
     {{"condition", 28, 3, Kind::named, names::condition}, {"value", 40, 8, Kind::reg}, shared::offset16}},
    {Opcode::set_sb_entry, "SET_SB_ENTRY", {{"endpoint", 0, 4, Kind::number}, {"other", 4, 4, Kind::number}}},
    {Opcode::progress_wait, "PROGRESS_WAIT", {{"queue", 0, 5, Kind::number}, {"source", 40, 8, Kind::reg64}}},
    {Opcode::set_exception_handler,
     "SET_EXCEPTION_HANDLER",
     {{"type", 0, 8, Kind::number}, shared::address40, {"length", 32, 8, Kind::reg}}},
    {Opcode::call, "CALL", {shared::address40, {"length", 32, 8, Kind::reg}}},
    {Opcode::jump, "JUMP", {shared::address40, {"length", 32, 8, Kind::reg}}},
    {Opcode::req_resource,
     "REQ_RESOURCE",
     {{"compute", 0, 1, Kind::flag},
      {"fragment", 1, 1, Kind::flag},
      {"tiler", 2, 1, Kind::flag},
      {"idvs", 3, 1, Kind::flag}}},
    {Opcode::flush_cache2,
     "FLUSH_CACHE2",
     {{"l2", 0, 4, Kind::named, names::l2_flush},
      {"lsc", 4, 4, Kind::named, names::lsc_flush},
      {"other", 8, 4, Kind::named, names::other_flush},
      {"flush_id", 40, 8, Kind::reg},
      shared::signal_slot,
      shared::wait_mask}},
    shared::sync_update(Opcode::sync_add32, "SYNC_ADD32", Kind::reg),
    shared::sync_update(Opcode::sync_set32, "SYNC_SET32", Kind::reg),
    shared::sync_wait(Opcode::sync_wait32, "SYNC_WAIT32", Kind::reg),
    {Opcode::store_state,
     "STORE_STATE",
     {{"state", 32, 8, Kind::named, names::state},
      shared::address40,
      shared::offset16,
      shared::signal_slot,
      shared::wait_mask}},
    {Opcode::prot_region, "PROT_REGION", {{"instructions", 0, 16, Kind::number}}},
    {Opcode::progress_store, "PROGRESS_STORE", {{"source", 40, 8, Kind::reg64}}},
    {Opcode::progress_load, "PROGRESS_LOAD", {{"destination", 40, 8, Kind::reg64}}},
    {Opcode::run_compute_indirect,
     "RUN_COMPUTE_INDIRECT",
     {{"workgroups_per_task", 0, 16, Kind::number},
      shared::progress_increment,
      shared::srt_select,
      shared::spd_select,
      shared::tsd_select,
      shared::fau_select}},
    {Opcode::error_barrier, "ERROR_BARRIER", {}},
    {Opcode::heap_set, "HEAP_SET", {shared::address40}},
    {Opcode::heap_operation,
     "HEAP_OPERATION",
     {{"operation", 32, 2, Kind::named, names::heap_op}, shared::signal_slot, shared::wait_mask}},
    {Opcode::trace_point,
     "TRACE_POINT",
     {{"base", 32, 8, Kind::reg}, {"count", 40, 8, Kind::number}, shared::signal_slot, shared::wait_mask}},
    shared::sync_update(Opcode::sync_add64, "SYNC_ADD64", Kind::reg64),
    shared::sync_update(Opcode::sync_set64, "SYNC_SET64", Kind::reg64),
    shared::sync_wait(Opcode::sync_wait64, "SYNC_WAIT64", Kind::reg64),
}};

/// Opcode of an instruction word, which need not be one the set defines.
[[nodiscard]] constexpr uint8_t opcode_of(uint64_t word) noexcept {
  return static_cast<uint8_t>(word >> 56);
}

/// Where the row of an opcode is; instruction_set.size() when the set does not define it.
[[nodiscard]] constexpr size_t index_of(uint8_t opcode) noexcept {
  size_t i = 0;
  while (i < instruction_set.size() && static_cast<uint8_t>(instruction_set[i].opcode) != opcode) ++i;
  return i;
}
/// The row of an opcode; nullptr when the set does not define it.
[[nodiscard]] constexpr const Instruction* find_instruction(uint8_t opcode) noexcept {
  const size_t i = index_of(opcode);
  return i < instruction_set.size() ? &instruction_set[i] : nullptr;
}
[[nodiscard]] constexpr const Instruction* find_instruction(Opcode opcode) noexcept {
  return find_instruction(static_cast<uint8_t>(opcode));
}
/// The row of an opcode the set defines; throws std::out_of_range for another.
[[nodiscard]] constexpr const Instruction& instruction(Opcode opcode) {
  return instruction_set.at(index_of(static_cast<uint8_t>(opcode)));
}

/// A field known at compile time: throws std::out_of_range (a compile error in constant evaluation) when
/// there is none.
[[nodiscard]] constexpr Field field(Opcode opcode, std::string_view name) {
  const Instruction& row = instruction(opcode);
  return row.fields()[row.index_of(name) < row.field_count ? row.index_of(name)
                                                           : throw std::out_of_range("no such field")];
}

namespace detail {
constexpr bool table_is_sound() {
  for (size_t i = 0; i < instruction_set.size(); ++i) {
    const Instruction& row = instruction_set[i];
    if (index_of(static_cast<uint8_t>(row.opcode)) != i) return false;
    uint64_t used = uint64_t{0xff} << 56;
    for (const Field& item : row.fields()) {
      if (item.width == 0 || item.start + item.width > 56) return false;
      if (used & item.word_mask()) return false;
      if ((item.kind == Kind::named) == item.names.empty()) return false;
      used |= item.word_mask();
    }
  }
  return true;
}
static_assert(table_is_sound(), "fields overlap, run over the opcode, or an opcode appears twice");
}  // namespace detail

}  // namespace panthor::isa
