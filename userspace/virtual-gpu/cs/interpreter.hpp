// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <type_traits>

#include "core/event_log.hpp"
#include "cs/environment.hpp"

namespace vgpu::cs {

inline constexpr unsigned register_count = 96;   ///< CS_FEATURES_WORK_REGS of a G610
inline constexpr unsigned scoreboard_count = 8;  ///< CS_FEATURES_SCOREBOARDS of a G610
inline constexpr unsigned call_depth = 8;

/// CS_STATUS_BLOCKED_REASON (panthor_fw.h); `memory` is the model's own: a stalled access, shown as unblocked.
enum class Blocked : uint32_t { none, scoreboard, progress, sync, deferred, resource, flush, memory };

/// Everything of a command stream that survives a CSG suspend: this is what a suspend buffer holds.
/// Trivially copyable; deferred work in flight is drained before a suspend, so scoreboards are counts of it.
struct Context {
  struct Frame {
    uint64_t pc, end;
  };
  std::array<uint32_t, register_count> reg{};
  uint64_t extract = 0;  ///< ring offset in bytes, monotonic, of the next ring instruction
  uint64_t pc = 0, end = 0;  ///< inside a called buffer, valid while depth > 0
  std::array<Frame, call_depth> frame{};
  uint32_t depth = 0;
  Blocked blocked = Blocked::none;
  uint32_t wait_condition = 0;  ///< CS_STATUS_WAIT sync condition, 0 LE, 1 GT
  uint32_t wait_is_64 = 0;
  uint64_t wait_va = 0, wait_reference = 0;
  uint32_t wait_scoreboards = 0;
  std::array<uint32_t, scoreboard_count> scoreboard{};  ///< outstanding operations per entry
  uint32_t endpoint_entry = 0, other_entry = 0;         ///< SET_SB_ENTRY
  uint32_t error_status = 0;                            ///< not 0: CS_FAULT seen and no ERROR_BARRIER since
  uint64_t heap_va = 0;                                 ///< HEAP_SET
  uint64_t handler_va = 0;                              ///< exception handler
  uint32_t handler_size = 0;
  uint32_t granted_resources = 0;                       ///< REQ_RESOURCE bits held
};
static_assert(std::is_trivially_copyable_v<Context>);

/// DRM_PANTHOR_EXCEPTION_* in CS_FAULT/CS_FATAL with the matching info word.
struct Exception {
  uint32_t status;  ///< [7:0] type, [31:8] data
  uint64_t info;
  bool fatal;
};

/// How a slice ended.
enum class RunState : uint8_t {
  more,     ///< the budget ran out
  spinning, ///< executing, but provably repeating itself until memory changes: burn the slice's time, not the host's
  empty,    ///< ring is drained: extract == insert and no call in progress
  blocked,  ///< see Context::blocked
  fatal,    ///< the stream is dead until it is stopped
};
struct RunResult {
  RunState state;
  uint64_t executed;  ///< instructions
};

/// The ring buffer of one queue, as the firmware's CS input interface describes it.
struct Ring {
  uint64_t base;    ///< GPU VA
  uint32_t size;    ///< bytes, a power of two
  uint64_t insert;  ///< bytes, monotonic
};

/// Executes one command stream. Decode comes from the table in panthor/isa; each opcode has one handler row.
class Interpreter {
 public:
  Interpreter(Environment& environment, EventLog& log);

  /// Runs at most `budget` instructions. New exceptions wait in take_exception().
  RunResult run(Context& context, const Ring& ring, uint64_t budget);

  /// Asynchronous ends, from the environment. They may unblock the stream; the caller runs it again.
  void job_done(Context& context, unsigned scoreboard, std::optional<Exception> fault);
  void deferred_done(Context& context, unsigned scoreboard);

  /// True when a stream in Blocked::sync would go on now. Aborted loads count as "would go on" (and then fault).
  [[nodiscard]] bool sync_satisfied(const Context& context);

  /// Oldest unreported exception.
  std::optional<Exception> take_exception();

  /// GPU VA of the instruction the stream is at: CS_STATUS_CMD_PTR.
  [[nodiscard]] static uint64_t command_pointer(const Context& context, const Ring& ring);

 private:
  // implementation-defined: the owner of cs/ completes this
};

}  // namespace vgpu::cs
