// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "ladder/rung_process.hpp"

namespace harness {

/// What a climb met.
struct Climb {
  std::vector<RungResult> results;  ///< in order, up to and with the first that failed
  size_t rungs = 0;                 ///< how many there were to climb
  std::string first_failing;        ///< empty: none

  [[nodiscard]] bool passed() const noexcept { return first_failing.empty(); }
};

/// Runs `rungs` in order and stops at the first that fails; a fresh process then tries a store and a load,
/// which tells a transient failure from a wedged GPU. `on_result` sees each result as it comes.
[[nodiscard]] Climb climb(const std::vector<Rung>& rungs, const std::string& node,
                          std::chrono::nanoseconds deadline,
                          const std::function<void(const RungResult&)>& on_result);

}  // namespace harness
