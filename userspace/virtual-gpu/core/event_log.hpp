// SPDX-License-Identifier: MIT
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <cstdio>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "core/clock.hpp"

namespace vgpu {

/// The run's event log and its counters.
///
/// Log format, stable: one line an event, `<ns> <layer>.<event> key=value ...`, model time in nanoseconds,
/// numbers in hexadecimal where the hardware documents them so. In virtual time two runs of one scenario
/// give the same log byte for byte, so nothing that depends on the host (addresses, fds, wall time) goes in.
class EventLog {
 public:
  explicit EventLog(const Clock& clock) : clock_(clock) {}
  EventLog(const EventLog&) = delete;
  EventLog& operator=(const EventLog&) = delete;

  /// Where lines go; nullptr (the default) keeps only the counters. The file stays the caller's.
  void write_to(std::FILE* file) noexcept { file_ = file; }
  [[nodiscard]] bool enabled() const noexcept { return file_ != nullptr; }

  /// `what` is "layer.event"; the rest is a fmt format of the key=value part. Free when no file is set.
  template <class... Args>
  void event(std::string_view what, fmt::format_string<Args...> format, Args&&... args) {
    if (file_) line(what, fmt::format(format, std::forward<Args>(args)...));
  }
  void event(std::string_view what) {
    if (file_) line(what, {});
  }

  /// An access the model has no behaviour for: logged the first time, counted always, listed in the summary.
  void unmodelled(std::string_view what);

  /// A named counter, created at 0. The reference stays valid for the log's life: keep it on hot paths.
  uint64_t& counter(std::string_view name);

  /// Counters in name order, then `unmodelled` entries: what a run prints at its end.
  [[nodiscard]] const std::map<std::string, uint64_t, std::less<>>& counters() const noexcept { return counters_; }
  [[nodiscard]] const std::map<std::string, uint64_t, std::less<>>& unmodelled_accesses() const noexcept {
    return unmodelled_;
  }
  void write_summary(std::FILE* file) const;

 private:
  void line(std::string_view what, std::string_view fields);

  const Clock& clock_;
  std::FILE* file_ = nullptr;
  std::map<std::string, uint64_t, std::less<>> counters_;
  std::map<std::string, uint64_t, std::less<>> unmodelled_;
};

}  // namespace vgpu
