// SPDX-License-Identifier: MIT
#include "autopsy/diagnosis.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "autopsy/next_steps.hpp"
#include "autopsy/rules.hpp"

namespace harness::autopsy {
namespace {

using Effect = Rule::Effect;

/// A rule that applied.
struct Applied {
  const Rule* rule;
  Sign sign;
  StageSet stages;
};

std::vector<Applied> apply_rules(const Facts& facts) {
  std::vector<Applied> applied;
  for (const auto rules : {dump_rules(), waiter_rules(), machine_rules()})
    for (const Rule& rule : rules)
      if (auto sign = rule.look(facts)) {
        const StageSet stages = sign->stages.empty() ? rule.stages : sign->stages;
        applied.push_back({&rule, std::move(*sign), stages});
      }
  return applied;
}

/// Narrows `diagnosis.stages` by what was seen, the most trusted first.
void conclude(const std::vector<Applied>& applied, Diagnosis& diagnosis) {
  bool named = false;
  StageSet stages = StageSet::all();
  // Confidence first, the order of the tables second.
  for (const Confidence level : {Confidence::certain, Confidence::likely, Confidence::possible}) {
    for (const Applied& a : applied) {
      if (a.rule->confidence != level) continue;
      if (a.rule->effect == Effect::names && !a.stages.empty()) {
        // A sign against what is already known is told, not followed.
        if (!stages.intersects(a.stages)) continue;
        stages = stages.both(a.stages);
        if (!named) diagnosis.confidence = level;
        if (diagnosis.cause.empty()) diagnosis.cause = a.sign.cause;
        named = true;
      }
      if (a.rule->effect == Effect::rules_out) {
        const StageSet left = stages.without(a.stages);
        if (!left.empty()) stages = left;
      }
    }
  }
  diagnosis.stages = stages;
  if (!named && stages.list().size() == 1) diagnosis.confidence = Confidence::likely;
}

void write_evidence(const Facts& facts, const std::vector<Applied>& applied, Diagnosis& diagnosis) {
  for (const Effect effect : {Effect::names, Effect::tells})
    for (const Applied& a : applied) {
      if (a.rule->effect != effect) continue;
      // A sign that points elsewhere is said too, as such.
      const bool other = effect == Effect::names && !a.stages.intersects(diagnosis.stages);
      diagnosis.evidence.push_back(other ? fmt::format("{} (points to {})", a.sign.text, a.stages.text())
                                         : a.sign.text);
    }
  if (facts.waiter) diagnosis.evidence.insert(diagnosis.evidence.begin(), describe_waiter(*facts.waiter));
  for (const Applied& a : applied)
    if (a.rule->effect == Effect::rules_out && !a.stages.intersects(diagnosis.stages))
      diagnosis.ruled_out.push_back({a.stages, a.sign.text});
}

bool names_something(const std::vector<Applied>& applied) {
  return std::ranges::any_of(
      applied, [](const Applied& a) { return a.rule->effect == Effect::names && !a.stages.empty(); });
}

Verdict verdict_of(const Facts& facts, const std::vector<Applied>& applied) {
  if (facts.waiter) return Verdict::hang;
  if (facts.driver != "panthor" && !(facts.driver_loaded && !facts.node.empty())) return Verdict::cannot_look;
  const bool dumped =
      std::ranges::any_of(applied, [](const Applied& a) { return a.rule->name == "dumped-job"; });
  if (dumped) return Verdict::hang;
  return names_something(applied) ? Verdict::failed : Verdict::healthy;
}

/// "S4, the group gets no slot …", "S4-S7, between …".
std::string meaning_of(StageSet stages) {
  const auto list = stages.list();
  if (list.empty()) return "";
  if (list.size() == 1) return std::string(stage_meaning(list.front()));
  return fmt::format("one of {} stages, see below", list.size());
}

std::string headline(const Facts& facts, const Diagnosis& diagnosis) {
  switch (diagnosis.verdict) {
    case Verdict::healthy:
      return facts.processes.empty()
                 ? "nothing hangs: no other process has the GPU open"
                 : fmt::format(
                       "nothing hangs: {} process{} with the GPU open, none waits for longer than {:g} s",
                       facts.processes.size(), facts.processes.size() == 1 ? "" : "es",
                       static_cast<double>(facts.options.after.count()) / 1000);
    case Verdict::cannot_look:
      return facts.node.empty() ? "cannot look: no Mali among the platform devices"
                                : fmt::format("cannot look: {} is driven by \"{}\", not by panthor",
                                              facts.node, facts.driver);
    case Verdict::hang:
    case Verdict::failed:
      break;
  }
  return fmt::format("{}: {} ({}): {}{}", diagnosis.stages.text(),
                     diagnosis.verdict == Verdict::hang ? "HANG" : "nothing waits now, but the GPU FAILED",
                     confidence_name(diagnosis.confidence), meaning_of(diagnosis.stages),
                     diagnosis.cause.empty() ? "" : fmt::format(" ({})", diagnosis.cause));
}

}  // namespace

Diagnosis diagnose(const Facts& facts) {
  Diagnosis diagnosis;
  const auto applied = apply_rules(facts);
  diagnosis.verdict = verdict_of(facts, applied);
  if (diagnosis.verdict == Verdict::hang || diagnosis.verdict == Verdict::failed) {
    conclude(applied, diagnosis);
    write_evidence(facts, applied, diagnosis);
    diagnosis.next = next_steps(facts, diagnosis);
  } else if (diagnosis.verdict == Verdict::cannot_look) {
    diagnosis.next = {"panthor-harness doctor: says which driver is bound and what to do about it"};
  }
  diagnosis.headline = headline(facts, diagnosis);
  return diagnosis;
}

std::string_view verdict_name(Verdict verdict) noexcept {
  constexpr std::array<std::string_view, 4> names = {"healthy", "hang", "failed", "cannot-look"};
  return names[static_cast<size_t>(verdict)];
}

std::string_view confidence_name(Confidence confidence) noexcept {
  constexpr std::array<std::string_view, 3> names = {"possible", "likely", "certain"};
  return names[static_cast<size_t>(confidence)];
}

}  // namespace harness::autopsy
