// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <initializer_list>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>

#include "panthor/isa/table.hpp"

namespace panthor::isa {

/// A field and the value to put into it: integers, bools and the enums of opcodes.hpp.
struct FieldValue {
  std::string_view name;
  int64_t value;

  template <class T>
  requires(std::is_integral_v<T> || std::is_enum_v<T>) constexpr FieldValue(std::string_view field_name,
                                                                            T field_value)
      : name(field_name), value(static_cast<int64_t>(field_value)) {}
};

namespace detail {
// Not constexpr on purpose: reaching it while a constant is evaluated is the compile-time error.
[[noreturn]] inline void encoding_error(const Instruction& row, std::string_view name, const char* what) {
  throw std::out_of_range(std::string(row.mnemonic) + "." + std::string(name) + ": " + what);
}

constexpr uint64_t place(const Instruction& row, const Field& item, int64_t value) {
  const bool is_signed = item.kind == Kind::simm;
  const int64_t low = is_signed ? -(int64_t{1} << (item.width - 1)) : 0;
  const int64_t high =
      is_signed ? (int64_t{1} << (item.width - 1)) - 1 : static_cast<int64_t>(item.low_mask());
  if (value < low || value > high) encoding_error(row, item.name, "value does not fit");
  const bool pair = item.kind == Kind::reg64 || item.kind == Kind::address;
  if ((item.kind == Kind::reg || pair) && value + (pair ? 1 : 0) >= int64_t{register_count})
    encoding_error(row, item.name, "no such register");
  if (item.kind == Kind::named && item.text(static_cast<uint64_t>(value)).empty())
    encoding_error(row, item.name, "value is not defined");
  return (static_cast<uint64_t>(value) & item.low_mask()) << item.start;
}
}  // namespace detail

/// Builds an instruction word; fields not given are 0. Throws std::out_of_range for an unknown field or a
/// value out of its range; in a constant expression that is a compile error.
[[nodiscard]] constexpr uint64_t encode(const Instruction& row, std::initializer_list<FieldValue> values) {
  uint64_t word = static_cast<uint64_t>(row.opcode) << 56;
  for (const FieldValue& given : values) {
    const size_t index = row.index_of(given.name);
    if (index == row.field_count) detail::encoding_error(row, given.name, "no such field");
    const Field& item = row.fields()[index];
    word = (word & ~item.word_mask()) | detail::place(row, item, given.value);
  }
  return word;
}
[[nodiscard]] constexpr uint64_t encode(Opcode opcode, std::initializer_list<FieldValue> values) {
  return encode(instruction(opcode), values);
}

}  // namespace panthor::isa
