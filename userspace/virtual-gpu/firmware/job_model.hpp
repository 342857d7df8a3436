// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>

#include "cs/environment.hpp"
#include "cs/interpreter.hpp"

namespace vgpu::fw {

/// What a RUN_* job will do: how much work it is, and whether it fails.
struct JobPlan {
  static constexpr uint64_t endless = UINT64_MAX;

  AccessResult result = AccessResult::ok;  ///< stalled: plan again once the address space resumes
  uint64_t tasks = 1;                      ///< `endless`: never ends by itself
  uint64_t ns_per_task = 1;                ///< on one core
  uint64_t heap_bytes = 0;                 ///< tiler jobs: heap memory the primitives need
  std::optional<cs::Exception> fault{};    ///< reported when the job ends
};

/// Turns a job into a plan; reading descriptors, touching scratch memory and running shaders happen in here.
class JobModel {
 public:
  virtual ~JobModel() = default;
  /// `first_task` is not 0 when the job was preempted and goes on from there.
  virtual JobPlan plan(const cs::IteratorJob& job, cs::Environment& environment, uint64_t first_task) = 0;
};

}  // namespace vgpu::fw
