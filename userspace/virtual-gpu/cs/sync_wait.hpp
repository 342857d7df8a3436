// SPDX-License-Identifier: MIT
#pragma once

#include "cs/core.hpp"

namespace vgpu::cs {

/// The condition a stream blocked in SYNC_WAIT* waits for (Context::wait_*), on unsigned values.
[[nodiscard]] bool compare(const Context& context, uint64_t value) noexcept;

/// Reads the object a SYNC_WAIT* waits for, 32 or 64 bits wide.
[[nodiscard]] AccessResult load_sync(Core& core, const Context& context, uint64_t& value);

/// The condition of a stream blocked in PROGRESS_WAIT.
[[nodiscard]] bool progress_reached(const Core& core, const Context& context);

}  // namespace vgpu::cs
