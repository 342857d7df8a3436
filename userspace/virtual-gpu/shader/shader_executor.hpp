// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>

#include "shader/descriptors.hpp"
#include "shader/types.hpp"

namespace vgpu::shader {

/// A compute job whose descriptors have been read and found good.
struct Dispatch {
  ShaderProgram program;
  uint64_t program_va;  ///< of the descriptor
  LocalStorage storage;
  uint64_t resources;  ///< SRT: VA | entry count in [5:0]
  uint64_t uniforms;   ///< FAU: VA in [47:0], count of 64-bit words in [63:56]
  WorkgroupSize workgroup;
  uint32_t offset[3];  ///< first workgroup
  uint32_t grid[3];    ///< workgroups in x, y, z
  uint64_t workgroups_per_task;
  uint64_t tasks;

  [[nodiscard]] uint64_t warps_per_task() const noexcept {
    return workgroups_per_task * ((workgroup.threads() + warp_threads - 1) / warp_threads);
  }
};

struct Execution {
  AccessResult result = AccessResult::ok;  ///< stalled: the same tasks are asked for again later
  uint64_t ns_per_task = 1;
  std::optional<Fault> fault = std::nullopt;
};

/// Runs the shader of a dispatch. The seam between "what the machine does with a job" and "what the program
/// computes".
class ShaderExecutor {
 public:
  virtual ~ShaderExecutor() = default;
  /// Tasks [first_task, dispatch.tasks). Must be restartable: a stalled run is asked for again from the same
  /// task.
  virtual Execution run(const Dispatch& dispatch, uint64_t first_task, const Translate& translate) = 0;
};

/// Computes nothing and says how long it takes: every warp takes warp_ns, whatever its program.
class TimingExecutor final : public ShaderExecutor {
 public:
  Execution run(const Dispatch& dispatch, uint64_t first_task, const Translate& translate) override;
};

}  // namespace vgpu::shader
