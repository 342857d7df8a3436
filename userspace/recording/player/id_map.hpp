// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <map>
#include <optional>
#include <set>

#include "calls/call_layout.hpp"

namespace recording {

/// Which number of the replay stands for which of the recording, for one kind of object in one file.
class IdMap {
 public:
  /// The replay's number for a recorded one. Numbers that name nothing in the recording (null, stale or
  /// invented handles) stay what they are, unless they would name something in the replay.
  [[nodiscard]] uint32_t translate(uint32_t recorded) const;
  [[nodiscard]] std::optional<uint32_t> find(uint32_t recorded) const;

  void add(uint32_t recorded, uint32_t replayed);
  void remove(uint32_t recorded);

  [[nodiscard]] const std::map<uint32_t, uint32_t>& all() const noexcept { return replayed_of_; }

 private:
  std::map<uint32_t, uint32_t> replayed_of_;
  std::multiset<uint32_t> live_;
};

/// All kinds but fd, whose numbers belong to the process.
using IdMaps = std::array<IdMap, id_kinds>;

[[nodiscard]] inline IdMap& of_kind(IdMaps& maps, IdKind kind) {
  return maps[static_cast<size_t>(kind)];
}

}  // namespace recording
