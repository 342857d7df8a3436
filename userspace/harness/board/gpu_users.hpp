// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <vector>

#include "board/board_tree.hpp"

namespace harness {

/// Other processes that hold a DRM node open, by pid; nullopt when this user cannot see the files of every
/// process. `self` is left out.
[[nodiscard]] std::optional<std::vector<int>> gpu_users(const BoardTree& board, int self);

}  // namespace harness
