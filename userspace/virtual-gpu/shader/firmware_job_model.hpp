// SPDX-License-Identifier: MIT
#pragma once

#include "firmware/job_model.hpp"
#include "shader/job_planner.hpp"

namespace vgpu::shader {

/// The bridge to the firmware's seam: its JobModel, served by a JobPlanner. The job must carry its core mask.
class FirmwareJobModel final : public fw::JobModel {
 public:
  explicit FirmwareJobModel(JobPlanner& planner) : planner_(planner) {}

  fw::JobPlan plan(const cs::IteratorJob& job, cs::Environment& environment, uint64_t first_task) override {
    const Translate translate = [&environment](uint64_t va, Access access) {
      return environment.translate(va, access);
    };
    const Plan plan = planner_.plan(job, translate, first_task);
    fw::JobPlan out{.result = plan.result,
                    .tasks = plan.tasks,
                    .ns_per_task = plan.ns_per_task,
                    .heap_bytes = plan.heap_bytes,
                    .fault = {}};
    if (plan.fault)
      out.fault = cs::Exception{static_cast<uint32_t>(plan.fault->code), plan.fault->info, false};
    return out;
  }

 private:
  JobPlanner& planner_;
};

}  // namespace vgpu::shader
