// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "cs/environment.hpp"
#include "shader/types.hpp"

namespace vgpu::shader {

/// RUN_IDVS, RUN_TILING and RUN_FULLSCREEN: time for the vertices, heap memory for the primitives.
///
/// The tiler context (d40) names a heap descriptor; its [bottom, top) and the chunks linked from its base by
/// their headers (panthor_heap.c) are what the job may fill. How much earlier jobs of the context took is
/// kept in the context's private state (assumed). What does not fit is Plan::heap_bytes: the firmware then
/// asks the driver.
Plan plan_tiling(const cs::IteratorJob& job, const Translate& translate, uint64_t first_task);

/// RUN_FRAGMENT: one task a tile of the framebuffer that d40 points to. Writing render targets is not
/// modelled.
Plan plan_fragment(const cs::IteratorJob& job, const Translate& translate, uint64_t first_task);

/// FINISH_TILING: a moment on the tiler.
Plan plan_finish_tiling(const cs::IteratorJob& job, const Translate& translate, uint64_t first_task);

}  // namespace vgpu::shader
