// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <string_view>

#include "jobs/session.hpp"

namespace harness {

/// One thing the smoke run proves. `run` returns when it is proved and throws otherwise.
struct Scenario {
  std::string_view name;         ///< "sync.cross_queue"
  std::string_view description;  ///< one sentence: what holds when it passes
  void (*run)(Session& session);
};

/// Scenarios by the file they are in; all_scenarios() is what `smoke` runs, in order.
std::span<const Scenario> memory_scenarios();
std::span<const Scenario> control_flow_scenarios();
std::span<const Scenario> sync_scenarios();
std::span<const Scenario> fence_scenarios();
std::span<const Scenario> group_scenarios();
std::span<const Scenario> clock_scenarios();
std::vector<Scenario> all_scenarios();

}  // namespace harness
