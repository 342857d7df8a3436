// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

namespace panthor {

/// A 32-bit register of a command stream, 0 to CsifInfo::cs_reg_count - 1.
struct Reg {
  uint8_t index;
};

/// Two neighbouring registers as one 64-bit value, the lower index holding the lower half.
struct RegPair {
  uint8_t index;

  [[nodiscard]] constexpr Reg low() const { return {index}; }
  [[nodiscard]] constexpr Reg high() const { return {static_cast<uint8_t>(index + 1)}; }
};

}  // namespace panthor
