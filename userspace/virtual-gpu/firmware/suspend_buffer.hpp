// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <type_traits>

#include "cs/interpreter.hpp"
#include "firmware/layout.hpp"
#include "firmware/mcu_memory.hpp"

namespace vgpu::fw {

inline constexpr unsigned jobs_per_stream = 6;  ///< two of each endpoint kind may be in flight (assumed)

/// A RUN_* job as it is kept while it cannot run: enough to go on with it elsewhere.
struct SavedJob {
  uint64_t instruction;
  uint64_t tasks_done;
  uint64_t heap_missing;  ///< bytes a tiler job still waits for
  std::array<uint32_t, cs::register_count> registers;
  uint32_t scoreboard;
  cs::Endpoint endpoint;
  uint8_t planned;  ///< its memory side effects have happened
  uint8_t endless;  ///< a fault keeps it from ever retiring a task
  uint8_t reserved;
};
static_assert(std::is_trivially_copyable_v<SavedJob>);

/// One stream of a suspended group.
struct StreamImage {
  uint32_t started;  ///< 0: the stream was stopped, the rest means nothing
  uint32_t job_count;
  cs::Context context;
  std::array<SavedJob, jobs_per_stream> jobs;
};
static_assert(std::is_trivially_copyable_v<StreamImage>);

/// What a suspended group leaves in memory. The layout is the model's own: the real one is private to Arm's
/// firmware and the driver only carries it around.
struct GroupImage {
  static constexpr uint32_t current_magic = 0x5653'4750, current_version = 1;

  uint32_t magic;
  uint32_t version;
  uint32_t size;      ///< bytes, of this structure
  uint32_t checksum;  ///< over everything after it
  std::array<StreamImage, cs_count> streams;
};
static_assert(std::is_trivially_copyable_v<GroupImage>);

/// CSG control SUSPEND_SIZE and PROTM_SUSPEND_SIZE: page multiples, the second must not be 0
/// (panthor_sched.c).
inline constexpr uint32_t suspend_size = (sizeof(GroupImage) + 4095) / 4096 * 4096;
inline constexpr uint32_t protm_suspend_size = 0x1000;

/// Stores the image at MCU VA `va`, completing its header. A fault goes to McuMemory::on_fault.
bool write_suspend_buffer(McuMemory& memory, uint64_t va, GroupImage& image);

/// Loads it back. False when what is there is no image of this version or was changed.
[[nodiscard]] bool read_suspend_buffer(McuMemory& memory, uint64_t va, GroupImage& image);

}  // namespace vgpu::fw
