// SPDX-License-Identifier: MIT
#pragma once

#include <memory>

#include "cs/environment.hpp"
#include "shader/compute_model.hpp"
#include "shader/shader_executor.hpp"
#include "shader/types.hpp"

namespace vgpu::shader {

/// Every RUN_* and FINISH_TILING job, by opcode. Owns the executor that runs compute shaders.
class JobPlanner {
 public:
  explicit JobPlanner(std::unique_ptr<ShaderExecutor> executor = std::make_unique<TimingExecutor>())
      : executor_(std::move(executor)), compute_(*executor_) {}

  /// Reads what the job's registers point to, does what it does to memory, says how long it takes.
  /// `job.core_mask` are the cores it may use. After Plan::result stalled call it again with the same job.
  Plan plan(const cs::IteratorJob& job, const Translate& translate, uint64_t first_task = 0);

 private:
  std::unique_ptr<ShaderExecutor> executor_;
  ComputeModel compute_;
};

}  // namespace vgpu::shader
