// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "core/event_log.hpp"
#include "cs/context.hpp"
#include "cs/environment.hpp"

namespace vgpu::cs {

/// DRM_PANTHOR_EXCEPTION_* in CS_FAULT/CS_FATAL with the matching info word.
struct Exception {
  uint32_t status;  ///< [7:0] type, [31:8] data
  uint64_t info;  ///< bus fault: the VA; invalid instruction: the word; inherited: the sync object (assumed)
  bool fatal;
};

/// How a slice ended.
enum class RunState : uint8_t {
  more,      ///< the budget ran out
  spinning,  ///< executing, but provably repeating itself until memory changes: burn the slice's time, not
             ///< the host's
  empty,     ///< ring is drained: extract == insert and no call in progress
  blocked,   ///< see Context::blocked
  fatal,     ///< the stream is dead until it is stopped
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

class Core;

/// Executes one command stream. Decode comes from the table in panthor/isa; each opcode has one handler row.
///
/// A blocked instruction has had no effect: its address stays the current one and run() starts it again. That
/// holds for stalled memory too, so an instruction that stalls halfway through its accesses happens exactly
/// once.
class Interpreter {
 public:
  Interpreter(Environment& environment, EventLog& log);
  ~Interpreter();
  Interpreter(Interpreter&&) noexcept;
  Interpreter& operator=(Interpreter&&) = delete;

  /// Runs at most `budget` instructions. New exceptions wait in take_exception().
  RunResult run(Context& context, const Ring& ring, uint64_t budget);

  /// Asynchronous ends, from the environment, also from inside Environment::start and ::flush. They may
  /// unblock the stream; the caller runs it again. Deferred instructions they release run at once, as long as
  /// memory lets them.
  void job_done(Context& context, unsigned scoreboard, std::optional<Exception> fault);
  void deferred_done(Context& context, unsigned scoreboard);

  /// True when a stream in Blocked::sync would go on now. Aborted loads count as "would go on" (and then
  /// fault).
  [[nodiscard]] bool sync_satisfied(const Context& context);
  /// The same for Blocked::progress.
  [[nodiscard]] bool progress_satisfied(const Context& context) const;

  /// Tiler OOM that the driver answered without a chunk: makes the stream run its exception handler next, as
  /// if the instruction it is at had been preceded by a CALL. False when there is none, it runs already, or
  /// the call stack is full: the machine then ends the job with a fault. The handler has ended when
  /// in_exception_handler() is false.
  [[nodiscard]] bool enter_exception_handler(Context& context);
  [[nodiscard]] static bool in_exception_handler(const Context& context) noexcept {
    return context.handler_depth != 0;
  }

  /// Oldest unreported exception. A second CS_FAULT before an ERROR_BARRIER is not reported (assumed).
  std::optional<Exception> take_exception();

  /// Makes any bytes a valid Context: a suspend buffer is guest memory. run() and the ends above do it
  /// themselves; call it before reading indices out of a context that came from there.
  static void sanitize(Context& context) noexcept;

  /// GPU VA of the instruction the stream is at: CS_STATUS_CMD_PTR.
  [[nodiscard]] static uint64_t command_pointer(const Context& context, const Ring& ring);

 private:
  std::unique_ptr<Core> core_;
};

}  // namespace vgpu::cs
