// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

/// The command-stream (CSF) instruction set of arch 10.8, a Mali-G610. Numbers come from Mesa's genxml
/// v10.xml
/// ("CEU *" structs and enums) and the words panthor_sched.c writes into its rings.
namespace panthor::isa {

/// Bits [63:56] of every instruction word (genxml "CEU Opcode").
enum class Opcode : uint8_t {
  nop = 0,
  move48 = 1,
  move32 = 2,
  wait = 3,
  run_compute = 4,
  run_tiling = 5,
  run_idvs = 6,
  run_fragment = 7,
  run_fullscreen = 8,
  finish_tiling = 9,
  finish_fragment = 11,
  add_imm32 = 16,
  add_imm64 = 17,
  umin32 = 18,
  load_multiple = 20,
  store_multiple = 21,
  branch = 22,
  set_sb_entry = 23,
  progress_wait = 24,
  set_exception_handler = 25,
  call = 32,
  jump = 33,
  req_resource = 34,
  flush_cache2 = 36,
  sync_add32 = 37,
  sync_set32 = 38,
  sync_wait32 = 39,
  store_state = 40,
  prot_region = 41,
  progress_store = 42,
  progress_load = 43,
  run_compute_indirect = 44,
  error_barrier = 47,
  heap_set = 48,
  heap_operation = 49,
  trace_point = 50,
  sync_add64 = 51,
  sync_set64 = 52,
  sync_wait64 = 53,
};

/// BRANCH and SYNC_WAIT* conditions (genxml "CEU Condition"). SYNC_WAIT* takes only the first two.
enum class Condition : uint8_t { less_equal, greater, equal, not_equal, less, greater_equal, always };

/// STORE_STATE sources (genxml "CEU State").
enum class State : uint8_t { timestamp, cycle_count, disjoint_count, error_status };

/// FLUSH_CACHE2 modes of L2 and load/store caches (genxml "CEU Flush Mode"); 2 is not defined for them.
enum class FlushMode : uint8_t { none = 0, clean = 1, clean_invalidate = 3 };

/// FLUSH_CACHE2 mode of the other caches (genxml "Other invalidate"; panthor_sched.c writes 2).
enum class OtherFlushMode : uint8_t { none = 0, invalidate = 2 };

/// Who is told about a SYNC_ADD*/SYNC_SET*: bit 2 (genxml "Scope CSG"); panthor's ring uses system = 0.
enum class Scope : uint8_t { system = 0, csg = 1 };

/// Heap counters (genxml "CEU Heap Operation"); 2 is not defined.
enum class HeapOp : uint8_t { vertex_tiler_started = 0, vertex_tiler_completed = 1, fragment_completed = 3 };

/// RUN_COMPUTE: the axis along which workgroups are cut into tasks (genxml "Task Axis").
enum class TaskAxis : uint8_t { x, y, z };

/// SET_EXCEPTION_HANDLER: the event a handler serves. Mesa's panvk installs one for tiler-OOM only.
enum class ExceptionType : uint8_t { tiler_oom = 15 };

/// RUN_FRAGMENT tile orders (genxml "Tile Render Order").
enum class TileOrder : uint8_t {
  z = 0,
  horizontal = 1,
  vertical = 2,
  reverse_horizontal = 5,
  reverse_vertical = 6
};

/// REQ_RESOURCE bits.
enum Resource : uint32_t {
  resource_compute = 1u << 0,
  resource_fragment = 1u << 1,
  resource_tiler = 1u << 2,
  resource_idvs = 1u << 3,
};

/// The register file and limits of a G610 (CS_FEATURES; Mesa's decode_csf.c for the call depth).
inline constexpr unsigned register_count = 96;
inline constexpr unsigned scoreboard_count = 8;
inline constexpr unsigned call_depth = 8;
inline constexpr unsigned instruction_bytes = 8;

}  // namespace panthor::isa
