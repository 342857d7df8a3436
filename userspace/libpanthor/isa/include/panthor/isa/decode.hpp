// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "panthor/isa/table.hpp"

namespace panthor::isa {

/// Why a word is not an instruction this hardware executes.
enum class Defect : uint8_t { none, opcode, reserved_bits, register_index, undefined_value };

/// An instruction word looked up in the table.
struct Decoded {
  uint64_t word = 0;
  const Instruction* row = nullptr;  ///< nullptr: the opcode is not defined
  Defect defect = Defect::none;

  /// Value of a field by name; 0 when the instruction has no such field.
  [[nodiscard]] constexpr int64_t operator[](std::string_view name) const noexcept {
    const Field* item = row ? row->find(name) : nullptr;
    return item ? item->value(word) : 0;
  }
};

/// Decodes and validates: opcode, reserved bits, register indices, named values. Scoreboard limits and what a
/// register mask reaches depend on the machine and are checked by whoever executes.
[[nodiscard]] constexpr Decoded decode(uint64_t word) noexcept {
  Decoded out{.word = word, .row = find_instruction(opcode_of(word))};
  if (!out.row) {
    out.defect = Defect::opcode;
    return out;
  }
  if (word & out.row->must_be_zero()) out.defect = Defect::reserved_bits;
  for (const Field& item : out.row->fields()) {
    if (out.defect != Defect::none) break;
    const uint64_t bits = item.raw(word);
    const bool pair = item.kind == Kind::reg64 || item.kind == Kind::address;
    if ((item.kind == Kind::reg || pair) && bits + (pair ? 1 : 0) >= register_count)
      out.defect = Defect::register_index;
    if (item.kind == Kind::named && item.text(bits).empty()) out.defect = Defect::undefined_value;
  }
  return out;
}

/// One line of text, `MNEMONIC.modifiers operand, operand, name(value)`. Flags and masks that are 0 are left
/// out; a word that is no instruction becomes `INVALID 0x…` or ends in ` ; reserved bits set` and the like.
[[nodiscard]] std::string disassemble(uint64_t word);

namespace detail {
inline std::string hex(uint64_t value) {
  static constexpr std::string_view digits = "0123456789abcdef";
  std::string text;
  do text.insert(text.begin(), digits[value & 15]);
  while (value >>= 4);
  return "0x" + text;
}
inline std::string bit_list(uint64_t bits) {
  std::string text;
  for (unsigned i = 0; i < 64; ++i)
    if (bits >> i & 1) text += (text.empty() ? "" : ",") + std::to_string(i);
  return text;
}
inline std::string operand(const Field& item, uint64_t word) {
  const uint64_t bits = item.raw(word);
  const std::string name(item.name);
  switch (item.kind) {
    case Kind::reg:
      return "r" + std::to_string(bits);
    case Kind::reg64:
      return "d" + std::to_string(bits);
    case Kind::address:
      return "[d" + std::to_string(bits) + "]";
    case Kind::imm:
      return "#" + hex(bits);
    case Kind::simm:
      return "#" + std::to_string(item.value(word));
    case Kind::number:
      return name + "(" + std::to_string(bits) + ")";
    case Kind::mask:
      return bits ? name + "(" + bit_list(bits) + ")" : std::string();
    case Kind::ignored:
      return bits ? "ignored(" + hex(bits) + ")" : std::string();
    case Kind::flag:
    case Kind::named:
      return {};
  }
  return {};
}
inline std::string_view describe(Defect defect) {
  switch (defect) {
    case Defect::reserved_bits:
      return " ; reserved bits set";
    case Defect::register_index:
      return " ; no such register";
    case Defect::undefined_value:
      return " ; undefined value";
    case Defect::opcode:
    case Defect::none:
      break;
  }
  return {};
}
}  // namespace detail

inline std::string disassemble(uint64_t word) {
  const Decoded decoded = decode(word);
  if (!decoded.row) return "INVALID " + detail::hex(word);
  std::string text(decoded.row->mnemonic);
  for (const Field& item : decoded.row->fields()) {
    if (item.kind == Kind::flag && item.raw(word)) (text += '.') += item.name;
    if (item.kind == Kind::named) {
      const std::string_view name = item.text(item.raw(word));
      (text += '.') += name.empty() ? "undefined" : name;
    }
  }
  std::string separator = " ";
  for (const Field& item : decoded.row->fields()) {
    const std::string operand = detail::operand(item, word);
    if (operand.empty()) continue;
    text += separator + operand;
    separator = ", ";
  }
  return text += detail::describe(decoded.defect);
}

}  // namespace panthor::isa
