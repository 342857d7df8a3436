// SPDX-License-Identifier: MIT
#include "ladder/evidence.hpp"

#include "ladder/log_stage.hpp"

namespace harness {
namespace {

std::optional<Stage> stage_from_marks(const Facts& facts) {
  if (!facts.has_marks) return std::nullopt;
  if (facts.finished) return Stage::completion;
  if (facts.started) return Stage::executing;
  return std::nullopt;
}

bool fence_failed(const Facts& facts) {
  return facts.wait_timed_out || facts.slow || facts.group_timed_out || facts.group_fatal;
}

struct Rule {
  std::optional<Stage> (*apply)(const Evidence& evidence);
};

constexpr Rule rules[] = {
    {[](const Evidence& e) -> std::optional<Stage> {
      if (e.stuck) return e.facts.in_fence_wait ? Stage::wake_up : Stage::ioctl;
      return std::nullopt;
    }},
    {[](const Evidence& e) -> std::optional<Stage> {
      if (e.facts.signalled_late) return Stage::wake_up;
      return std::nullopt;
    }},
    {[](const Evidence& e) -> std::optional<Stage> {
      if (e.facts.wait_timed_out && e.facts.dependency_unsignalled) return Stage::dependency;
      return std::nullopt;
    }},
    {[](const Evidence& e) -> std::optional<Stage> {
      return fence_failed(e.facts) ? stage_from_marks(e.facts) : std::nullopt;
    }},
    {[](const Evidence& e) -> std::optional<Stage> {
      if (const auto found = stage_from_log(e.kernel_log)) return found->stage;
      return std::nullopt;
    }},
    {[](const Evidence& e) -> std::optional<Stage> {
      if (e.facts.error != 0 && !fence_failed(e.facts)) return Stage::ioctl;
      return std::nullopt;
    }},
    {[](const Evidence& e) -> std::optional<Stage> {
      // The fence signalled (with an error nobody can see from here), yet the stream never began.
      const bool signalled = !e.stuck && e.facts.has_group && !fence_failed(e.facts);
      if (signalled && e.facts.has_marks && !e.facts.started) return Stage::refused;
      return std::nullopt;
    }},
    {[](const Evidence& e) -> std::optional<Stage> {
      // The rung's stream has no marks, but a stream with marks met the same afterwards.
      if (!e.facts.has_marks && fence_failed(e.facts) && e.fresh_facts && fence_failed(*e.fresh_facts))
        return stage_from_marks(*e.fresh_facts);
      return std::nullopt;
    }},
    {[](const Evidence& e) -> std::optional<Stage> {
      // The driver's job timeout only runs while the group is on a slot (panthor_sched.c).
      if (e.facts.group_timed_out) return Stage::not_fetched;
      return std::nullopt;
    }},
};

}  // namespace

Stage infer_stage(const Evidence& evidence, Stage rung_stage) {
  for (const Rule& rule : rules)
    if (const auto stage = rule.apply(evidence)) return *stage;
  return rung_stage;
}

}  // namespace harness
