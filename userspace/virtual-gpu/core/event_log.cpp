// SPDX-License-Identifier: MIT
#include "core/event_log.hpp"

namespace vgpu {

void EventLog::line(std::string_view what, std::string_view fields) {
  if (fields.empty()) fmt::print(file_, "{} {}\n", clock_.now_ns(), what);
  else fmt::print(file_, "{} {} {}\n", clock_.now_ns(), what, fields);
}

void EventLog::unmodelled(std::string_view what) {
  auto it = unmodelled_.find(what);
  if (it == unmodelled_.end()) {
    it = unmodelled_.emplace(what, 0).first;
    event("model.unmodelled", "{}", what);
  }
  ++it->second;
}

uint64_t& EventLog::counter(std::string_view name) {
  auto it = counters_.find(name);
  if (it == counters_.end()) it = counters_.emplace(name, 0).first;
  return it->second;
}

void EventLog::write_summary(std::FILE* file) const {
  for (const auto& [name, value] : counters_) fmt::print(file, "counter {} {}\n", name, value);
  for (const auto& [what, count] : unmodelled_) fmt::print(file, "unmodelled {} {}\n", count, what);
}

}  // namespace vgpu
