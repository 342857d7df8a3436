// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "autopsy/diagnosis.hpp"

namespace harness::autopsy {

/// What a rule saw.
struct Sign {
  std::string text;
  StageSet stages{};  ///< instead of the row's, when what was seen names them itself
  std::string cause{};
};

/// One thing that tells something. `look` returns nothing when it does not apply.
struct Rule {
  enum class Effect : uint8_t {
    names,      ///< it stopped at one of `stages`
    rules_out,  ///< it did not stop at any of `stages`
    tells,      ///< evidence for people, no conclusion
  };

  std::string_view name;
  Effect effect;
  StageSet stages;
  Confidence confidence;
  std::optional<Sign> (*look)(const Facts& facts);
};

/// In the order of trust: the first that names stages decides, the others narrow them.
[[nodiscard]] std::span<const Rule> dump_rules();     ///< what the hang dump says
[[nodiscard]] std::span<const Rule> waiter_rules();   ///< what the waiting thread and its syncobjs say
[[nodiscard]] std::span<const Rule> machine_rules();  ///< what power, interrupts, threads and the log say

/// The thread's wait in words: "thread 201 of llama-bench (pid 200) in DRM_IOCTL_SYNCOBJ_WAIT for 12.0 s".
[[nodiscard]] std::string describe_waiter(const Waiter& waiter);
/// The names of the timelines the waiter waits for, in the order of its targets.
[[nodiscard]] std::vector<std::string> awaited_timelines(const Facts& facts);

}  // namespace harness::autopsy
