// SPDX-License-Identifier: MIT
#include "cs/interpreter.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "cs/core.hpp"
#include "cs/deferrable.hpp"
#include "cs/dispatch.hpp"
#include "cs/sync_wait.hpp"

namespace vgpu::cs {
namespace {

/// Finds streams that repeat themselves: at a backward branch the whole context is what it was at an earlier
/// arrival and nothing but registers changed in between. Memory may be polled meanwhile; it can only change
/// between slices, so the finding holds until the slice ends. Arrivals 1, 2, 4, 8 … are remembered (Brent's
/// cycle search), which finds cycles of any length and costs a compare that ends at the first different
/// register.
class SpinDetector {
 public:
  bool repeats(const Context& context, uint64_t effects) {
    if (arrivals_ && effects == effects_ && std::memcmp(&context, &seen_, sizeof context) == 0) return true;
    if (std::has_single_bit(++arrivals_)) {
      std::memcpy(&seen_, &context, sizeof context);
      effects_ = effects;
    }
    return false;
  }

 private:
  Context seen_;
  uint64_t effects_ = 0;
  uint64_t arrivals_ = 0;
};

/// Ends calls whose last instruction has run: a CALL in the last place still took a frame (Mesa's
/// decode_csf.c).
void return_from_calls(Context& context) {
  while (context.depth && context.pc >= context.end) {
    const Context::Frame& frame = context.frame[--context.depth];
    context.pc = frame.pc & ~uint64_t{isa::instruction_bytes - 1};
    context.end = frame.end;
    if (context.depth < context.handler_depth) context.handler_depth = 0;
  }
}

}  // namespace

Interpreter::Interpreter(Environment& environment, EventLog& log)
    : core_(std::make_unique<Core>(environment, log)) {}
Interpreter::~Interpreter() = default;
Interpreter::Interpreter(Interpreter&&) noexcept = default;

RunResult Interpreter::run(Context& context, const Ring& ring, uint64_t budget) {
  Core& core = *core_;
  uint64_t executed = 0;
  if (context.dead) return {RunState::fatal, 0};
  sanitize(context);
  core.drop_fetch_window();
  const size_t reported = core.exceptions.size();
  if (context.deferred_count) core.drain(context);
  SpinDetector spins;
  const uint64_t ring_base = ring.base & ~uint64_t{isa::instruction_bytes - 1};

  // A stall of a deferred instruction must bring the stream back when memory does.
  const auto blocked = [&](Blocked why) {
    context.blocked = context.deferred_stalled && why != Blocked::sync ? Blocked::memory : why;
    return RunResult{RunState::blocked, executed};
  };

  for (;;) {
    return_from_calls(context);
    const bool in_ring = context.depth == 0;
    if (in_ring && ring.insert - context.extract < isa::instruction_bytes) {
      if (context.deferred_stalled) return blocked(Blocked::memory);
      context.blocked = Blocked::none;
      return {RunState::empty, executed};
    }
    if (executed >= budget) break;

    const uint64_t at = in_ring ? ring_base + (context.extract & (ring.size - 1)) : context.pc;
    uint64_t word = 0;
    if (const AccessResult result = core.fetch(at, word); result != AccessResult::ok) [[unlikely]] {
      if (result == AccessResult::stalled) return blocked(Blocked::memory);
      core.fatal(context, ExceptionCode::cs_bus_fault, at);
      context.blocked = Blocked::none;
      return {RunState::fatal, executed};
    }

    uint64_t& position = in_ring ? context.extract : context.pc;
    position += isa::instruction_bytes;
    const DispatchRow& row = dispatch_table[isa::opcode_of(word)];
    const Step step = row.legal(word) ? row.execute(core, context, word) : core.invalid(context, word);
    if (step == Step::next) [[likely]] {
      ++executed;
      if (core.exceptions.size() == reported) [[likely]]
        continue;
      context.blocked = Blocked::none;  // a CS_FAULT: the host must see EXTRACT inside the job that caused it
      return {RunState::more, executed};
    }
    if (step == Step::looped) {
      ++executed;
      context.blocked = Blocked::none;
      if (spins.repeats(context, core.effects)) return {RunState::spinning, executed};
      continue;
    }
    // Blocked or fatal: the stream is still at this instruction.
    position -= isa::instruction_bytes;
    if (step == Step::blocked) return blocked(context.blocked);
    context.blocked = Blocked::none;
    return {RunState::fatal, executed};
  }
  context.blocked = Blocked::none;
  return {RunState::more, executed};
}

void Interpreter::job_done(Context& context, unsigned scoreboard, std::optional<Exception> fault) {
  sanitize(context);
  if (fault) core_->push_exception(context, *fault);
  core_->release(context, scoreboard);
  uint32_t& due = context.progress_due[scoreboard % scoreboard_count];
  const bool counts = due != 0;
  if (counts) --due;
  core_->add_progress(context, counts);
  if (context.deferred_count && !context.dead) core_->drain(context);
}

void Interpreter::deferred_done(Context& context, unsigned scoreboard) {
  sanitize(context);
  core_->release(context, scoreboard);
  core_->called_out();
  if (context.deferred_count && !context.dead) core_->drain(context);
}

bool Interpreter::sync_satisfied(const Context& context) {
  uint64_t value = 0;
  const AccessResult result = load_sync(*core_, context, value);
  if (result == AccessResult::stalled) return false;
  return result == AccessResult::aborted || compare(context, value);
}

bool Interpreter::progress_satisfied(const Context& context) const {
  return progress_reached(*core_, context);
}

bool Interpreter::enter_exception_handler(Context& context) {
  sanitize(context);
  if (!context.handler_va || context.handler_depth || context.dead) return false;
  return_from_calls(context);
  if (context.depth == call_depth) return false;
  context.frame[context.depth++] = {context.pc, context.end};
  context.pc = context.handler_va;
  context.end = context.handler_va + context.handler_size;
  context.handler_depth = context.depth;
  context.blocked = Blocked::none;
  return true;
}

void Interpreter::sanitize(Context& context) noexcept {
  constexpr uint64_t aligned = ~uint64_t{isa::instruction_bytes - 1};
  context.extract &= aligned;
  context.pc &= aligned;
  context.depth = std::min(context.depth, call_depth);
  context.handler_depth = std::min(context.handler_depth, context.depth);
  context.endpoint_entry %= scoreboard_count;
  context.other_entry %= scoreboard_count;
  context.deferred_count = std::min(context.deferred_count, deferred_capacity);
  for (uint32_t i = 0; i < context.deferred_count; ++i)
    if (!is_deferrable(context.deferred[i].instruction)) context.deferred_count = i;
}

std::optional<Exception> Interpreter::take_exception() {
  if (core_->exceptions.empty()) return std::nullopt;
  const Exception oldest = core_->exceptions.front();
  core_->exceptions.pop_front();
  return oldest;
}

uint64_t Interpreter::command_pointer(const Context& context, const Ring& ring) {
  return context.depth ? context.pc : ring.base + (context.extract & (ring.size - 1));
}

}  // namespace vgpu::cs
