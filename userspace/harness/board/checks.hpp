// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "board/board_tree.hpp"

namespace harness {

/// What one look at the board found.
struct Finding {
  enum class Level : uint8_t {
    good,
    unknown,  ///< may not be seen as this user
    warning,  ///< work may still run
    bad,      ///< work cannot run
  };

  Level level = Level::good;
  std::string found;  ///< what is, or what is wrong
  std::string fix;    ///< what to type; empty when nothing is wrong
};

/// One line of `doctor`.
struct Check {
  std::string_view name;
  Finding (*look)(const BoardTree& board);
};

/// In the order in which one thing needs the other.
[[nodiscard]] std::span<const Check> driver_checks();
[[nodiscard]] std::span<const Check> power_checks();
[[nodiscard]] std::span<const Check> user_checks();
[[nodiscard]] std::vector<Check> all_checks();

/// CONFIG_`name` of the running kernel: "y", "m", "n", or empty when its configuration is not there
/// (/boot/config-RELEASE, /proc/config.gz).
[[nodiscard]] std::string kernel_config(const BoardTree& board, const std::string& name);

}  // namespace harness
