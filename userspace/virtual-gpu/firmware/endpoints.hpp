// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <vector>

#include "core/event_log.hpp"
#include "core/event_queue.hpp"
#include "cs/environment.hpp"
#include "firmware/layout.hpp"

namespace vgpu::fw {

/// What one group may use: CSG_EP_REQ and the ALLOW_* masks of its slot.
struct GroupEndpoints {
  unsigned slot = 0;
  EndpointRequest request;
  uint64_t allow_compute = 0, allow_fragment = 0;  ///< shader core masks
  uint32_t allow_tiler = 0;

  [[nodiscard]] uint64_t allowed(cs::Endpoint endpoint) const noexcept {
    return endpoint == cs::Endpoint::compute    ? allow_compute
           : endpoint == cs::Endpoint::fragment ? allow_fragment
                                                : allow_tiler;
  }
  [[nodiscard]] unsigned limit(cs::Endpoint endpoint) const noexcept {
    return endpoint == cs::Endpoint::compute    ? request.compute
           : endpoint == cs::Endpoint::fragment ? request.fragment
                                                : request.tiler;
  }
};

/// The shader cores and the tiler, shared out to the jobs of all groups.
///
/// A more urgent group takes every core it may use; equal priorities take turns. Cores change hands at once,
/// with the work done so far kept (assumed: real hardware hands over at task boundaries, which are short
/// against the driver's timeouts). One core works for one job at a time, so EXCL_COMPUTE/EXCL_FRAGMENT always
/// hold.
class EndpointPool {
 public:
  using Id = uint64_t;
  struct Job {
    cs::Endpoint endpoint = cs::Endpoint::compute;
    const GroupEndpoints* group = nullptr;  ///< outlives the job
    uint64_t tasks = 1, ns_per_task = 1;    ///< tasks may be JobPlan::endless
    uint64_t first_task = 0;
    std::function<void()> finished;
  };

  EndpointPool(EventQueue& events, EventLog& log);
  ~EndpointPool();
  EndpointPool(const EndpointPool&) = delete;
  EndpointPool& operator=(const EndpointPool&) = delete;

  /// Cores that are enabled and powered now.
  void set_available(uint64_t shader_cores, uint64_t tilers);

  Id start(Job job);
  /// Takes the job away and returns how many of its tasks are done; 0 for an unknown id.
  uint64_t stop(Id id);
  /// The EP_REQ, masks or priority of a group changed.
  void rearrange();

  [[nodiscard]] bool busy() const noexcept { return !jobs_.empty(); }
  [[nodiscard]] bool starved() const noexcept;  ///< some job has no core
  /// Tasks the group's jobs have retired since the model started.
  [[nodiscard]] uint64_t retired(unsigned slot);
  /// Endpoints the group holds now, in EP_REQ counts.
  [[nodiscard]] unsigned held(unsigned slot, cs::Endpoint endpoint) const noexcept;

 private:
  struct Running {
    Id id;
    Job job;
    uint64_t progress_ns, total_ns;  ///< core-nanoseconds
    uint64_t cores = 0;
    uint64_t last_served = 0;
    uint64_t tasks_seen;
  };
  void settle();
  void arbitrate();
  void finish_due();
  void schedule(bool contended);

  EventQueue& events_;
  uint64_t& rearranged_;
  uint64_t shader_cores_ = 0, tilers_ = 0;
  std::vector<Running> jobs_;
  std::array<uint64_t, csg_count> retired_{};
  uint64_t settled_at_ = 0;
  uint64_t serving_ = 0;
  Id next_id_ = 1;
  EventQueue::Id event_ = 0;
};

}  // namespace vgpu::fw
