// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>

#include "jobs/session.hpp"

namespace harness {

/// The least a RUN_COMPUTE needs: a shader that ends at once, its program descriptor and a local-storage
/// descriptor with scratch memory, all in one session's VM (genxml v10: Shader Program, Local Storage).
class ComputeJob {
 public:
  explicit ComputeJob(Session& session);

  /// The same with scratch memory of the caller's, mapped at `scratch_va`: `bytes_per_thread` (a power of two
  /// from 16) for each of threads_per_core threads, in one slice a core id.
  ComputeJob(Session& session, uint64_t scratch_va, uint64_t bytes_per_thread);

  static constexpr uint64_t threads_per_core = 2048;

  /// Appends a dispatch of `x` by `y` workgroups of one thread, and a wait for its end.
  void dispatch(panthor::CommandStreamBuilder& cs, uint32_t x, uint32_t y) const;

 private:
  GpuBuffer code_;
  GpuBuffer descriptors_;
  std::optional<GpuBuffer> scratch_;
};

}  // namespace harness
