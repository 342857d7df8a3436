// SPDX-License-Identifier: MIT
#include "ladder/ladder.hpp"

namespace harness {
namespace {

constexpr std::string_view fresh_rung = "memory-write";

/// What a new process meets after `failed`, and what that says about where `failed` stopped.
void try_afresh(RungResult& failed, const Rung& rung, const std::string& node,
                std::chrono::nanoseconds deadline) {
  const auto rungs = all_rungs();
  const RungResult fresh = run_rung(find_rung(rungs, fresh_rung), node, deadline);
  failed.evidence.fresh_process = fresh.passed() ? std::string() : fresh.error;
  failed.evidence.fresh_facts = fresh.evidence.facts;
  failed.stage = infer_stage(failed.evidence, rung.stage);
}

}  // namespace

Climb climb(const std::vector<Rung>& rungs, const std::string& node, std::chrono::nanoseconds deadline,
            const std::function<void(const RungResult&)>& on_result) {
  Climb climb;
  climb.rungs = rungs.size();
  for (const Rung& rung : rungs) {
    RungResult result = run_rung(rung, node, deadline);
    const bool failed = !result.passed() && !result.skipped();
    if (failed) {
      try_afresh(result, rung, node, deadline);
      climb.first_failing = result.name;
    }
    on_result(result);
    climb.results.push_back(std::move(result));
    if (failed) break;
  }
  return climb;
}

}  // namespace harness
