// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "ladder/stage.hpp"

namespace harness {

/// A job whose fence does not signal, on purpose or by a fault armed elsewhere: what `autopsy` is tried on.
struct HangJob {
  std::string_view name;
  std::string_view description;
  Stage stage;  ///< where it stops on a GPU without fault
  /// Submits, calls `waiting` and waits for at most `patience`; true when the fence signalled.
  bool (*run)(const std::string& node, std::chrono::nanoseconds patience,
              const std::function<void()>& waiting);
};

[[nodiscard]] std::span<const HangJob> hang_jobs();

}  // namespace harness
