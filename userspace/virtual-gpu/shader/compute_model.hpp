// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "cs/environment.hpp"
#include "shader/shader_executor.hpp"
#include "shader/types.hpp"

namespace vgpu::shader {

/// RUN_COMPUTE and RUN_COMPUTE_INDIRECT: reads the descriptors the registers name, cuts the grid into tasks,
/// spreads them over the cores the job may use and touches the scratch memory those cores' threads would.
///
/// Registers (Mesa's decode_csf.c): SRT d0, FAU d8, SPD d16, TSD d24, each plus 2 * its select; r33 workgroup
/// size, r34-36 offset, r37-39 grid in workgroups. A task is `task_increment` workgroups along the task axis,
/// times the whole grid along the axes below it.
class ComputeModel {
 public:
  explicit ComputeModel(ShaderExecutor& executor) : executor_(executor) {}

  /// `job.core_mask` are the cores to use. Nothing that was done is undone by a stall; planning again does it
  /// again.
  Plan plan(const cs::IteratorJob& job, const Translate& translate, uint64_t first_task);

 private:
  ShaderExecutor& executor_;
};

}  // namespace vgpu::shader
