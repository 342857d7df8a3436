// SPDX-License-Identifier: MIT
#include "ladder/evidence.hpp"

#include <algorithm>
#include <string_view>

namespace harness {
namespace {

/// Lines of the driver that name the stage themselves (panthor_fw.c, panthor_gpu.c, panthor_hw.c,
/// panthor_mmu.c, panthor_sched.c), the most telling first.
struct LogMarker {
  std::string_view text;
  Stage stage;
};

constexpr LogMarker log_markers[] = {
    {"Failed to boot MCU", Stage::refused},
    {"Firmware version is 0", Stage::refused},
    {"power transition", Stage::refused},
    {"readiness", Stage::refused},
    {"Soft reset timeout", Stage::refused},
    {"RESET timed out", Stage::refused},
    {"AS_ACTIVE bit stuck", Stage::dependency},
    {"Flush caches timeout", Stage::not_fetched},  // the AS the flush was for stays locked
    {"update request timedout", Stage::no_slot},
    {"Unhandled Page fault", Stage::executing},
    {"CS_FATAL", Stage::executing},
    {"CS_FAULT", Stage::executing},
    {"FW ping timeout", Stage::executing},
};

std::optional<Stage> stage_from_log(const std::vector<std::string>& lines) {
  for (const LogMarker& marker : log_markers)
    if (std::ranges::any_of(
            lines, [&](const std::string& line) { return line.find(marker.text) != std::string::npos; }))
      return marker.stage;
  return std::nullopt;
}

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
    {[](const Evidence& e) { return stage_from_log(e.kernel_log); }},
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
