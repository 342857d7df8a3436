// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

/// GPU_INT bits (panthor_gpu_regs.h GPU_IRQ_*).
namespace vgpu::gpu_irq {

inline constexpr uint32_t fault = 1u << 0, protm_fault = 1u << 1, reset_completed = 1u << 8,
                          power_changed = 1u << 9, power_changed_all = 1u << 10,
                          clean_caches_completed = 1u << 17, doorbell_mirror = 1u << 18,
                          mcu_status_changed = 1u << 19;

}  // namespace vgpu::gpu_irq
