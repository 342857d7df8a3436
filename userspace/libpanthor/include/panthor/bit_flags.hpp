// SPDX-License-Identifier: MIT
#pragma once

#include <type_traits>

namespace panthor {

/// Opt-in for the operators below: specialise to true for an enum whose values are bits that may be combined.
template <typename Enum>
inline constexpr bool is_bit_flags = false;

template <typename Enum>
requires is_bit_flags<Enum>
constexpr Enum operator|(Enum a, Enum b) noexcept {
  using Bits = std::underlying_type_t<Enum>;
  return static_cast<Enum>(static_cast<Bits>(a) | static_cast<Bits>(b));
}

template <typename Enum>
requires is_bit_flags<Enum>
constexpr Enum operator&(Enum a, Enum b) noexcept {
  using Bits = std::underlying_type_t<Enum>;
  return static_cast<Enum>(static_cast<Bits>(a) & static_cast<Bits>(b));
}

template <typename Enum>
requires is_bit_flags<Enum>
constexpr bool has(Enum value, Enum bit) noexcept {
  return (value & bit) == bit;
}

}  // namespace panthor
