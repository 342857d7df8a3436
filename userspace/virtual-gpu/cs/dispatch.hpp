// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>

#include "cs/core.hpp"
#include "panthor/isa/table.hpp"

namespace vgpu::cs {

namespace isa = ::panthor::isa;

using Handler = Step (*)(Core&, Context&, uint64_t word);

/// One opcode as the run loop needs it: the checks of the instruction table in a form that costs a few
/// cycles, and the function that executes it.
struct DispatchRow {
  struct NamedField {
    uint8_t start = 0, width = 0;
    uint16_t legal = 0;  ///< bit n: value n is defined
  };
  uint64_t reserved = ~uint64_t{0};  ///< bits that must be 0
  uint64_t register_bias = 0;        ///< per register byte: 128 - limit; see legal()
  uint64_t register_top = 0;         ///< per register byte: 0x80
  std::array<NamedField, 3> named{};
  uint8_t named_count = 0;
  Handler execute = nullptr;

  /// True when hardware would execute `word`: nothing reserved set, registers exist, named values are
  /// defined.
  [[nodiscard]] bool legal(uint64_t word) const noexcept {
    // Register operands are whole bytes and fewer than 128 exist: byte + (128 - limit) reaches bit 7 exactly
    // when the index is out of range, and bit 7 of the byte itself means so too. No carry leaves a byte.
    const uint64_t low7 = word & (register_top - (register_top >> 7));
    const uint64_t bad = (((low7 + register_bias) | word) & register_top) | (word & reserved);
    if (bad) [[unlikely]]
      return false;
    for (unsigned i = 0; i < named_count; ++i)
      if (!(named[i].legal >> (word >> named[i].start & ((1u << named[i].width) - 1)) & 1)) return false;
    return true;
  }
};

/// Indexed by opcode. Opcodes the instruction set does not define have no handler and no legal word.
extern const std::array<DispatchRow, 256> dispatch_table;

}  // namespace vgpu::cs
