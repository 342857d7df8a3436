// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <optional>

#include "autopsy/facts.hpp"

namespace harness::autopsy {

/// Waits until a thread waits for the GPU for longer than `options.after`, or a line of the kernel log says
/// that the driver gave something up. False: neither happened within `patience` (nullopt: for ever).
[[nodiscard]] bool wait_for_hang(const BoardTree& board, const Options& options,
                                 std::optional<std::chrono::nanoseconds> patience);

}  // namespace harness::autopsy
