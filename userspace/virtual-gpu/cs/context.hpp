// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <type_traits>

namespace vgpu::cs {

inline constexpr unsigned register_count = 96;   ///< CS_FEATURES_WORK_REGS of a G610
inline constexpr unsigned scoreboard_count = 8;  ///< CS_FEATURES_SCOREBOARDS of a G610
inline constexpr unsigned call_depth = 8;
inline constexpr unsigned deferred_capacity = 16;  ///< instructions parked behind scoreboards; assumed

/// CS_STATUS_BLOCKED_REASON (panthor_fw.h); `memory` is the model's own: a stalled access, shown as
/// unblocked. `flush` is never reported: a flush is always asynchronous here, so whoever waits for one waits
/// for a scoreboard.
enum class Blocked : uint32_t { none, scoreboard, progress, sync, deferred, resource, flush, memory };

/// An instruction issued with a wait mask: its operands as they were at issue, run when the mask is clear.
struct DeferredOperation {
  uint64_t instruction;
  uint64_t address;  ///< sync/state address, or the first heap chunk
  uint64_t data;     ///< sync data, flush id, or the last heap chunk
};

/// Everything of a command stream that survives a CSG suspend: this is what a suspend buffer holds. It may be
/// copied out and back as bytes between any two run() calls. Jobs and flushes in flight are not in it (only
/// their counts): drain them before a suspend. Deferred instructions are, so those still waiting travel with
/// the stream.
struct Context {
  struct Frame {
    uint64_t pc, end;
  };
  std::array<uint32_t, register_count> reg{};
  uint64_t extract = 0;      ///< ring offset in bytes, monotonic, of the next ring instruction
  uint64_t pc = 0, end = 0;  ///< inside a called buffer, valid while depth > 0
  std::array<Frame, call_depth> frame{};
  uint32_t depth = 0;
  Blocked blocked = Blocked::none;
  uint32_t wait_condition = 0;  ///< CS_STATUS_WAIT sync condition, 0 LE, 1 GT
  uint32_t wait_is_64 = 0;
  uint64_t wait_va = 0, wait_reference = 0;  ///< PROGRESS_WAIT: the queue, and the value waited for
  uint32_t wait_scoreboards = 0;
  uint32_t wait_protected = 0;                            ///< blocked in PROT_REGION: CS_STATUS_WAIT_PROTM
  std::array<uint32_t, scoreboard_count> scoreboard{};    ///< outstanding operations per entry
  std::array<uint32_t, scoreboard_count> progress_due{};  ///< jobs per entry that end in a progress increment
  uint32_t endpoint_entry = 0, other_entry = 0;           ///< SET_SB_ENTRY
  uint32_t error_status = 0;                              ///< not 0: CS_FAULT seen and no ERROR_BARRIER since
  uint32_t dead = 0;                                      ///< CS_FATAL seen: run() does nothing any more
  uint64_t heap_va = 0;                                   ///< HEAP_SET
  uint64_t handler_va = 0;                                ///< exception handler (tiler OOM)
  uint32_t handler_size = 0;
  uint32_t handler_depth = 0;      ///< call depth the running exception handler has, 0: none runs
  uint32_t granted_resources = 0;  ///< REQ_RESOURCE bits held
  uint32_t deferred_count = 0;
  uint64_t progress = 0;                                        ///< PROGRESS_STORE/LOAD and the increments
  std::array<DeferredOperation, deferred_capacity> deferred{};  ///< in issue order
  uint32_t deferred_stalled = 0;  ///< one of them waits for memory: run again when Mmu::on_resume fires
  uint32_t reserved = 0;          ///< keeps the struct free of padding
};
static_assert(std::is_trivially_copyable_v<Context>);
static_assert(std::has_unique_object_representations_v<Context>,
              "no padding: contexts are compared as bytes");

/// DRM_PANTHOR_EXCEPTION_* (panthor_device.h) this layer raises.
enum class ExceptionCode : uint8_t {
  cs_endpoint_fault = 0x44,
  cs_bus_fault = 0x48,
  cs_instr_invalid = 0x49,
  cs_call_stack_overflow = 0x4a,
  cs_inherit_fault = 0x4b,
  instr_invalid_pc = 0x50,
  data_invalid_fault = 0x58,
  addr_range_fault = 0x5a,
  oom = 0x60,
};

}  // namespace vgpu::cs
