// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "panthor/command_stream_builder.hpp"

/// Pieces of command streams the scenarios share. Registers by convention: d64 address, r66/r67 data, r68
/// scratch, r70 counter, d72/r74 for calls.
namespace harness::streams {

inline constexpr panthor::RegPair address{64};
inline constexpr panthor::Reg data{66};
inline constexpr panthor::RegPair data64{66};
inline constexpr panthor::Reg scratch{68};
inline constexpr panthor::Reg counter{70};
inline constexpr panthor::RegPair call_address{72};
inline constexpr panthor::Reg call_length{74};

/// Makes what was stored visible to the CPU; the last thing a stream does.
void publish(panthor::CommandStreamBuilder& cs);
/// Stores `value` at `va`.
void store(panthor::CommandStreamBuilder& cs, uint64_t va, uint32_t value);
/// Stores register `value` at `va`.
void store(panthor::CommandStreamBuilder& cs, uint64_t va, panthor::Reg value);
/// Adds 1 to the 32-bit synchronisation object at `va`.
void signal(panthor::CommandStreamBuilder& cs, uint64_t va,
            panthor::isa::Scope scope = panthor::isa::Scope::system);
/// Blocks until the 32-bit synchronisation object at `va` is greater than `value`.
void wait_greater(panthor::CommandStreamBuilder& cs, uint64_t va, uint32_t value);
/// Keeps the queue busy for `times` rounds of two instructions.
void spin(panthor::CommandStreamBuilder& cs, uint32_t times);

}  // namespace harness::streams
