// SPDX-License-Identifier: MIT
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "calls/views.hpp"

namespace recording {

/// One GROUP_SUBMIT.
struct SubmitRecord {
  uint64_t number = 0;  ///< from 1, in the order of the recording
  uint64_t call = 0;
  uint32_t file = 0;
  SubmitView view;
  bool done = false;  ///< a satisfied wait has shown it
};

/// Which submit is behind which fence, and what is known to be finished. Ids are the recording's.
class SubmitLog {
 public:
  const SubmitRecord& add(uint64_t call, uint32_t file, SubmitView view);
  /// A wait was satisfied: its fences, and all that a queue did before them, are done.
  void satisfied(uint32_t file, const WaitView& wait);
  void group_destroyed(uint32_t file, uint32_t group);
  /// The syncobj was reset, destroyed or got a fence that no submit made.
  void forget(uint32_t file, uint32_t syncobj);

  /// Can a job of this file still be running?
  [[nodiscard]] bool busy(uint32_t file) const;
  /// The first submit that the wait depends on and that is not known to be done; null: none.
  [[nodiscard]] const SubmitRecord* blocking(uint32_t file, const WaitView& wait) const;
  [[nodiscard]] const std::vector<SubmitRecord>& all() const noexcept { return submits_; }
  /// `number` as in SubmitRecord.
  [[nodiscard]] const SubmitRecord& at(uint64_t number) const { return submits_.at(number - 1); }

 private:
  struct QueueKey {
    uint32_t file, group, queue;
    auto operator<=>(const QueueKey&) const = default;
  };
  struct SyncobjKey {
    uint32_t file, handle;
    auto operator<=>(const SyncobjKey&) const = default;
  };
  struct Fence {
    uint64_t point;
    QueueKey queue;
    uint64_t submit;
  };

  std::vector<SubmitRecord> submits_;
  std::map<QueueKey, std::deque<uint64_t>> running_;  ///< numbers of submits not known to be done
  std::map<SyncobjKey, std::vector<Fence>> fences_;
};

/// "submit 5 (call 118): group 1, queue 0, stream 0x2000000, 24 bytes".
[[nodiscard]] std::string describe(const SubmitRecord& submit);

}  // namespace recording
