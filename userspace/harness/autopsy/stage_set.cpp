// SPDX-License-Identifier: MIT
#include "autopsy/stage_set.hpp"

namespace harness::autopsy {

std::vector<Stage> StageSet::list() const {
  std::vector<Stage> stages;
  for (unsigned i = 0; i < stage_count; ++i)
    if (const auto stage = static_cast<Stage>(i); has(stage)) stages.push_back(stage);
  return stages;
}

std::string StageSet::text() const {
  std::string text;
  for (unsigned first = 0; first < stage_count; ++first) {
    if ((bits_ >> first & 1) == 0) continue;
    unsigned last = first;
    while (last + 1 < stage_count && (bits_ >> (last + 1) & 1) != 0) ++last;
    if (!text.empty()) text += ',';
    text += stage_name(static_cast<Stage>(first));
    if (last != first) {
      text += '-';
      text += stage_name(static_cast<Stage>(last));
    }
    first = last;
  }
  return text.empty() ? "none" : text;
}

StageSet stage_by_name(std::string_view name) {
  for (unsigned i = 0; i < stage_count; ++i)
    if (const auto stage = static_cast<Stage>(i); stage_name(stage) == name) return {stage};
  return {};
}

}  // namespace harness::autopsy
