// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "jobs/session.hpp"

namespace harness {

/// The least a RUN_COMPUTE needs: a shader that ends at once, its program descriptor and a local-storage
/// descriptor with scratch memory, all in one session's VM (genxml v10: Shader Program, Local Storage).
class ComputeJob {
 public:
  explicit ComputeJob(Session& session);

  /// Appends a dispatch of `x` by `y` workgroups of one thread, and a wait for its end.
  void dispatch(panthor::CommandStreamBuilder& cs, uint32_t x, uint32_t y) const;

 private:
  GpuBuffer code_;
  GpuBuffer descriptors_;
  GpuBuffer scratch_;
};

}  // namespace harness
