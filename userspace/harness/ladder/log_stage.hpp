// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ladder/stage.hpp"

namespace harness {

/// A line of the kernel log by which the driver itself says where it stopped.
struct LogStage {
  Stage stage;
  std::string line;
};

/// The most telling such line; nullopt when there is none.
[[nodiscard]] std::optional<LogStage> stage_from_log(const std::vector<std::string>& lines);

}  // namespace harness
