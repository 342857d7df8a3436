// SPDX-License-Identifier: MIT
#pragma once

#include <optional>

#include "ladder/compute_job.hpp"

namespace harness {

/// A job that does not end by itself, and what it needs while it runs.
class EndlessJob {
 public:
  enum class Kind : uint8_t {
    blocked,    ///< in a SYNC_WAIT nobody satisfies
    looping,    ///< in a branch to itself
    computing,  ///< in a RUN_COMPUTE of 2^32 workgroups
  };

  /// Builds it in memory of `session` and submits it to `queue` of `group`.
  EndlessJob(Session& session, const panthor::Group& group, Kind kind, unsigned queue = 0);

  /// Its first instructions ran.
  [[nodiscard]] bool started() const { return marks_.read32(0) != 0; }
  /// Its fence.
  [[nodiscard]] const panthor::Syncobj& done() const noexcept { return done_; }

 private:
  GpuBuffer marks_;
  panthor::Syncobj done_;
  std::optional<ComputeJob> compute_;
};

}  // namespace harness
