// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "autopsy/facts.hpp"
#include "autopsy/stage_set.hpp"

namespace harness::autopsy {

enum class Verdict : uint8_t {
  healthy,      ///< nothing waits too long, nothing failed of late
  hang,         ///< something waits
  failed,       ///< nothing waits any more, but the driver gave jobs up or cannot be used
  cannot_look,  ///< no panthor here
};

enum class Confidence : uint8_t {
  possible,  ///< what is left when the rest is ruled out
  likely,    ///< one sign points there
  certain,   ///< the driver, or the object waited for, says so itself
};

struct RuledOut {
  StageSet stages;
  std::string why;
};

/// What is concluded from the facts.
struct Diagnosis {
  Verdict verdict = Verdict::healthy;
  StageSet stages;    ///< where it stopped; empty when nothing did
  std::string cause;  ///< of the hang dump ("no-tick"), or empty
  Confidence confidence = Confidence::possible;
  std::string headline;               ///< one line
  std::vector<std::string> evidence;  ///< most telling first
  std::vector<RuledOut> ruled_out;
  std::vector<std::string> next;  ///< what to type or try, first things first
};

[[nodiscard]] Diagnosis diagnose(const Facts& facts);

[[nodiscard]] std::string_view verdict_name(Verdict verdict) noexcept;
[[nodiscard]] std::string_view confidence_name(Confidence confidence) noexcept;

}  // namespace harness::autopsy
