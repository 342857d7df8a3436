// SPDX-License-Identifier: MIT
#include "scenarios/scenario.hpp"

namespace harness {

std::vector<Scenario> all_scenarios() {
  std::vector<Scenario> all;
  for (const auto scenarios : {memory_scenarios(), control_flow_scenarios(), sync_scenarios(),
                               fence_scenarios(), group_scenarios(), clock_scenarios()})
    all.insert(all.end(), scenarios.begin(), scenarios.end());
  return all;
}

}  // namespace harness
