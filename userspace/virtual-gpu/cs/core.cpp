// SPDX-License-Identifier: MIT
#include "cs/core.hpp"

#include <algorithm>

#include "cs/deferrable.hpp"

namespace vgpu::cs {
namespace {
/// Unreported exceptions kept: the firmware takes them after every slice, so only a hostile stream comes
/// near.
constexpr size_t exception_limit = 16;
}  // namespace

AccessResult Core::fetch_slowly(uint64_t va, uint64_t& word) {
  const Mmu::Lookup at = environment.translate(va, Access::read);
  if (at.result != AccessResult::ok) return at.result;
  window_va_ = va;
  window_host_ = at.host;
  window_bytes_ = at.contiguous & ~uint64_t{7};
  word = std::atomic_ref<uint64_t>(*reinterpret_cast<uint64_t*>(at.host)).load(std::memory_order_relaxed);
  return AccessResult::ok;
}

void Core::push_exception(Context& context, const Exception& exception) {
  const bool first = context.error_status == 0 && context.dead == 0;
  if (exception.fatal)
    context.dead = exception.status ? exception.status : 1;
  else
    context.error_status = exception.status ? exception.status : 1;
  log.event(exception.fatal ? "cs.fatal" : "cs.fault", "status=0x{:x} info=0x{:x}", exception.status,
            exception.info);
  ++log.counter(exception.fatal ? "cs.fatal" : "cs.fault");
  ++effects;
  if (!first && !exception.fatal) return;
  if (exceptions.size() < exception_limit)
    exceptions.push_back(exception);
  else if (exception.fatal)
    exceptions.back() = exception;
}

Step Core::fatal(Context& context, ExceptionCode code, uint64_t info) {
  push_exception(context, {static_cast<uint32_t>(code), info, true});
  return Step::fatal;
}

Step Core::fault(Context& context, ExceptionCode code, uint64_t info) {
  push_exception(context, {static_cast<uint32_t>(code), info, false});
  return Step::next;
}

void Core::add_progress(Context& context, uint64_t count) {
  context.progress += count;
  called_out();
  environment.progressed();
}

void Core::release(Context& context, unsigned entry) {
  uint32_t& count = context.scoreboard[entry % scoreboard_count];
  if (count)
    --count;
  else
    log.unmodelled("cs: scoreboard entry signalled that nothing holds");
}

Step Core::defer(Context& context, const DeferredOperation& operation) {
  if (context.deferred_count == deferred_capacity) return block(context, Blocked::deferred);
  context.deferred[context.deferred_count++] = operation;
  ++context.scoreboard[signal_entry(operation.instruction)];
  ++effects;
  drain(context);
  return Step::next;
}

void Core::drain(Context& context) {
  const auto ready = [&context](const DeferredOperation& operation) {
    const uint32_t mask = wait_mask(operation.instruction);
    for (unsigned entry = 0; entry < scoreboard_count; ++entry)
      if (mask >> entry & 1 && context.scoreboard[entry]) return false;
    return true;
  };
  context.deferred_stalled = 0;
  for (unsigned i = 0; i < context.deferred_count;) {
    const DeferredOperation operation = context.deferred[i];
    if (!ready(operation)) {
      ++i;
      continue;
    }
    Resolved resolved;
    const AccessResult result = resolve(*this, operation, resolved);
    if (result == AccessResult::stalled) {
      context.deferred_stalled = 1;  // those behind it keep their place (assumed: one memory pipe a stream)
      return;
    }
    // Out of the queue before any effect: effects may call back in here.
    std::copy(context.deferred.begin() + i + 1, context.deferred.begin() + context.deferred_count,
              context.deferred.begin() + i);
    context.deferred[--context.deferred_count] = {};
    bool ended = true;
    if (result == AccessResult::aborted)
      fault(context, ExceptionCode::cs_bus_fault, resolved.failed_va);
    else
      ended = apply(*this, context, operation, resolved);
    if (ended) release(context, signal_entry(operation.instruction));
    context.deferred_stalled = 0;
    i = 0;  // what this one signalled may have released an earlier one
  }
}

}  // namespace vgpu::cs
