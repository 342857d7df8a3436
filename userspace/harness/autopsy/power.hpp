// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "autopsy/source.hpp"
#include "board/board_tree.hpp"

namespace harness::autopsy {

/// The GPU's power as sysfs and debugfs show it; empty or nullopt: not to be seen.
struct Power {
  std::string runtime_status;  ///< "active", "suspended", "resuming", "suspending", "error", "unsupported"
  std::string control;         ///< "auto"; "on": it may not suspend
  std::optional<uint64_t> active_ms;     ///< so far
  std::optional<uint64_t> suspended_ms;  ///< so far
  std::string governor;                  ///< of devfreq
  std::optional<uint64_t> hz;            ///< of devfreq
  std::string clock;                     ///< its line of clk_summary, without blanks at its ends
  std::string domain;                    ///< its line of pm_genpd_summary
};

struct PowerLook {
  Power power;
  Source source;  ///< runtime PM and devfreq
  Source clocks;  ///< clk_summary and pm_genpd_summary
};

[[nodiscard]] PowerLook look_at_power(const BoardTree& board);

/// It was in that state all through the time between the two looks.
[[nodiscard]] bool stayed_suspended(const Power& before, const Power& after);
[[nodiscard]] bool stayed_active(const Power& before, const Power& after);

}  // namespace harness::autopsy
