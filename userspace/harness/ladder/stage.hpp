// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string_view>

namespace harness {

/// Where a fence can stop (docs/architecture.md, "Where a fence can stop").
enum class Stage : uint8_t {
  ioctl,        ///< S0
  dependency,   ///< S1
  queued,       ///< S2
  refused,      ///< S3
  no_slot,      ///< S4
  not_fetched,  ///< S5
  executing,    ///< S6
  completion,   ///< S7
  wake_up,      ///< S8
};

/// "S0" to "S8".
[[nodiscard]] std::string_view stage_name(Stage stage) noexcept;
/// One line: what has not happened when a job stops there.
[[nodiscard]] std::string_view stage_meaning(Stage stage) noexcept;

}  // namespace harness
