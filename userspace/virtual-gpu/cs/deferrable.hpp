// SPDX-License-Identifier: MIT
#pragma once

#include "cs/core.hpp"

namespace vgpu::cs {

/// Host addresses a deferrable instruction will touch, all translated before any effect.
struct Resolved {
  std::byte* object = nullptr;  ///< the sync object or the state word
  uint32_t* status = nullptr;   ///< the sync object's status word, when errors propagate
  uint64_t failed_va = 0;       ///< when resolving failed
};

/// Translates what the instruction needs. No effect.
[[nodiscard]] AccessResult resolve(Core& core, const DeferredOperation& operation, Resolved& resolved);

/// Does it. False when its end comes later, through Interpreter::deferred_done() (a flush that has started).
bool apply(Core& core, Context& context, const DeferredOperation& operation, const Resolved& resolved);

/// True when `instruction` is one that may stand in Context::deferred.
[[nodiscard]] bool is_deferrable(uint64_t instruction) noexcept;

/// Scoreboard entries the instruction waits for, and the one it signals.
[[nodiscard]] uint32_t wait_mask(uint64_t instruction) noexcept;
[[nodiscard]] unsigned signal_entry(uint64_t instruction) noexcept;

}  // namespace vgpu::cs
