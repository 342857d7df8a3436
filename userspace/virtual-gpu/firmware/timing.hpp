// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

/// How long things take, in model nanoseconds. All assumed (docs/fidelity.md): orders of magnitude of a G610
/// at 1 GHz, chosen so that every driver timeout is far away unless something is really wrong.
namespace vgpu::fw::timing {

inline constexpr uint64_t boot_ns = 300'000;          ///< MCU_CONTROL_AUTO to the boot interrupt
inline constexpr uint64_t power_poll_ns = 10'000;     ///< how often a waiting MCU or iterator looks for power
inline constexpr uint64_t doorbell_ns = 1'000;        ///< doorbell to the firmware looking at requests
inline constexpr uint64_t halt_ns = 20'000;           ///< GLB_HALT to MCU_STATUS_HALT
inline constexpr uint64_t group_switch_ns = 20'000;   ///< START/RESUME/SUSPEND/TERMINATE
inline constexpr uint64_t instruction_ns = 4;         ///< one command-stream instruction
inline constexpr uint64_t slice_instructions = 1024;  ///< a slice before others get their turn
inline constexpr uint64_t spin_slice_ns =
    1'000'000;  ///< a stream that provably repeats itself until memory changes
inline constexpr uint64_t sync_poll_ns = 10'000'000;  ///< a CPU write to a sync object is seen within this
inline constexpr uint64_t sync_wake_ns = 200;         ///< SYNC_ADD/SET to another stream's re-evaluation
inline constexpr uint64_t fault_poll_ns = 20'000;  ///< how often a stream looks whether its CS_FAULT was seen
inline constexpr uint64_t flush_ns = 2'000;        ///< FLUSH_CACHE2
inline constexpr uint64_t endpoint_quantum_ns =
    1'000'000;  ///< equal priorities take turns on contended endpoints

}  // namespace vgpu::fw::timing
