// SPDX-License-Identifier: MIT
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace panthor {

/// A dma_fence as tracepoints name it.
struct FenceId {
  uint64_t context = 0;
  uint64_t seqno = 0;
  auto operator<=>(const FenceId&) const = default;
};

/// A job's life as far as the trace has it. Times are the trace's, in seconds; equal ones are kept a
/// nanosecond apart, in order.
struct JobTrace {
  FenceId fence;     ///< the scheduler's "finished" fence, the one user space has
  std::string ring;  ///< "panthor-queue-CLIENT-GROUP-QUEUE", "panthor-vm-bind"
  std::optional<double> queued;
  std::optional<double> run;          ///< the scheduler handed it to run_job()
  std::optional<double> pushed;       ///< run_job() got as far as the driver's own fence: it is in the ring
  std::optional<double> driver_done;  ///< the driver's fence signalled
  std::optional<double> done;         ///< the scheduler's fence signalled
  std::set<FenceId> dependencies;     ///< it was submitted with
  std::optional<FenceId> blocked_on;  ///< the dependency the scheduler last waited for
};

/// The text of tracefs `trace`, as far as it tells of jobs: the events of gpu_scheduler (since 6.17),
/// dma_fence and panthor. Lines that are something else are skipped.
class TraceLog {
 public:
  [[nodiscard]] static TraceLog parse(std::string_view text);

  [[nodiscard]] const std::vector<JobTrace>& jobs() const noexcept { return jobs_; }
  [[nodiscard]] const JobTrace* job(const FenceId& fence) const;
  [[nodiscard]] bool signalled(const FenceId& fence) const { return signalled_.contains(fence); }
  /// gpu_job_irq events (since 7.2) after that time that were for a group.
  [[nodiscard]] unsigned job_interrupts(double since = 0) const;
  /// Lines understood.
  [[nodiscard]] unsigned events() const noexcept { return events_; }
  /// The buffer was too small: the beginning is missing.
  [[nodiscard]] bool lost_events() const noexcept { return lost_; }

 private:
  JobTrace& entry(const FenceId& fence);

  std::vector<JobTrace> jobs_;
  std::set<FenceId> signalled_;
  std::vector<double> job_interrupts_;
  unsigned events_ = 0;
  bool lost_ = false;
};

}  // namespace panthor
