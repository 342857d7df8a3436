// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "cs/context.hpp"
#include "mmu/mmu.hpp"

namespace vgpu::shader {

/// How this layer reaches guest memory: Mmu::translate() of the job's address space.
using Translate = std::function<Mmu::Lookup(uint64_t va, Access access)>;

/// A job that cannot run or broke: becomes CS_FAULT of the stream that issued it. The mapping of causes to
/// codes is assumed: bad descriptor DATA_INVALID_FAULT, bad shader address INSTR_INVALID_PC, aborted access
/// CS_BUS_FAULT, no core to run on CS_ENDPOINT_FAULT.
struct Fault {
  cs::ExceptionCode code;
  uint64_t info;  ///< the descriptor's or the access's GPU VA
};

/// What a job does to memory has been done; this is what it does to time.
struct Plan {
  AccessResult result = AccessResult::ok;  ///< stalled: plan again when the address space resumes
  uint64_t tasks = 1;                      ///< units of work that cores share
  uint64_t ns_per_task = 1;                ///< model time of one of them on one core
  uint64_t heap_bytes =
      0;  ///< tiling: memory its primitives need beyond the chunks the heap descriptor links
  uint64_t touched_pages = 0;  ///< scratch pages (4 KiB) its threads wrote
  std::optional<Fault> fault = std::nullopt;

  [[nodiscard]] static Plan stalled() { return {.result = AccessResult::stalled}; }
  [[nodiscard]] static Plan failed(cs::ExceptionCode code, uint64_t info) {
    return {.fault = Fault{code, info}};
  }
  /// Of an access that was not ok.
  [[nodiscard]] static Plan failed_access(AccessResult result, uint64_t va) {
    return result == AccessResult::stalled ? stalled() : failed(cs::ExceptionCode::cs_bus_fault, va);
  }
};

/// A G610 core (GPU_THREAD_MAX_THREADS, GPU_THREAD_MAX_WORKGROUP_SIZE) and the model's speeds, all assumed to
/// be of the order of a core at 1 GHz: what matters is that time grows with work.
inline constexpr uint64_t threads_per_core = 2048;
inline constexpr uint64_t max_workgroup_threads = 1024;
inline constexpr uint64_t warp_threads = 16;
inline constexpr uint64_t task_launch_ns = 200;
inline constexpr uint64_t warp_ns = 64;  ///< one warp of a shader of unknown length
inline constexpr uint64_t vertex_warp_ns = 32;
inline constexpr uint64_t tile_ns = 1'000;  ///< one 16x16 tile
inline constexpr uint64_t heap_bytes_per_primitive = 32;
inline constexpr uint64_t page_size = 4096;

}  // namespace vgpu::shader
