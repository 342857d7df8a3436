// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <vector>

#include "panthor/record.hpp"

namespace panthor {

/// What the kernel series "hang" shows of the driver (docs/hang-dump.md), from its debugfs file or from a
/// devcoredump.
class HangDump {
 public:
  /// The newest version of the text this class was written for; keys keep their meaning within one.
  static constexpr uint64_t version = 1;

  /// A job in a queue, with the records it belongs to; a record a cut text lost is null.
  struct Job {
    const Record* job = nullptr;
    const Record* queue = nullptr;
    const Record* group = nullptr;
    const Record* vm = nullptr;
    std::vector<const Record*> in_fences;

    /// "S0" to "S8", or empty.
    [[nodiscard]] std::string_view stage() const { return job->text_or("stage", ""); }
    [[nodiscard]] std::string_view cause() const { return job->text_or("cause", ""); }
    /// The scheduler's fence, the one user space has, is signalled.
    [[nodiscard]] bool finished() const { return job->set("finished"); }
    /// Process that made the group, 0 when not known.
    [[nodiscard]] int pid() const { return group ? group->number<int>("pid").value_or(0) : 0; }
    /// Milliseconds since it was submitted.
    [[nodiscard]] std::optional<uint64_t> age_ms() const { return job->number("queued_ms"); }
  };

  /// Throws std::invalid_argument "not a hang dump: …" when the first line is not that of a dump, or its
  /// version is newer than `version`. Anything after it may be cut, unknown or malformed.
  [[nodiscard]] static HangDump parse(std::string_view text);

  /// False: the text was cut, on its way here or by the driver for want of room.
  [[nodiscard]] bool complete() const noexcept { return complete_; }
  [[nodiscard]] std::span<const Record> records() const noexcept { return records_; }
  /// The first record of that name; null when there is none.
  [[nodiscard]] const Record* first(std::string_view name) const;
  [[nodiscard]] std::vector<const Record*> all(std::string_view name) const;
  /// The first `name` record with `key` equal to `value`.
  [[nodiscard]] const Record* find(std::string_view name, std::string_view key, uint64_t value) const;
  /// Every job, in the order of the text: by group, by queue, the oldest first. Points into this object.
  [[nodiscard]] std::vector<Job> jobs() const;

 private:
  std::vector<Record> records_;
  bool complete_ = false;
};

}  // namespace panthor
