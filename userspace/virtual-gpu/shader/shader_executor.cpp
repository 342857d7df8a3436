// SPDX-License-Identifier: MIT
#include "shader/shader_executor.hpp"

namespace vgpu::shader {

Execution TimingExecutor::run(const Dispatch& dispatch, uint64_t, const Translate&) {
  return {.ns_per_task = task_launch_ns + dispatch.warps_per_task() * warp_ns};
}

}  // namespace vgpu::shader
