// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

namespace panthor {

/// A finished command stream: what QueueSubmit and CALL need to know of it.
struct CommandStream {
  uint64_t va = 0;     ///< GPU address of the first instruction
  uint32_t bytes = 0;  ///< length, a multiple of 8
};

}  // namespace panthor
