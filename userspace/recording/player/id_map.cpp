// SPDX-License-Identifier: MIT
#include "player/id_map.hpp"

namespace recording {

std::optional<uint32_t> IdMap::find(uint32_t recorded) const {
  const auto found = replayed_of_.find(recorded);
  return found == replayed_of_.end() ? std::nullopt : std::optional(found->second);
}

uint32_t IdMap::translate(uint32_t recorded) const {
  if (const auto replayed = find(recorded)) return *replayed;
  uint32_t id = recorded;
  while (id != 0 && live_.contains(id)) --id;
  return id == 0 && recorded != 0 ? ~0u : id;
}

void IdMap::add(uint32_t recorded, uint32_t replayed) {
  remove(recorded);
  replayed_of_.emplace(recorded, replayed);
  live_.insert(replayed);
}

void IdMap::remove(uint32_t recorded) {
  const auto found = replayed_of_.find(recorded);
  if (found == replayed_of_.end()) return;
  live_.erase(live_.find(found->second));
  replayed_of_.erase(found);
}

}  // namespace recording
