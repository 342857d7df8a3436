// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>

#include "core/event_log.hpp"
#include "cs/context.hpp"
#include "cs/environment.hpp"
#include "cs/interpreter.hpp"

namespace vgpu::cs {

/// What became of one instruction.
enum class Step : uint8_t {
  next,     ///< retired
  looped,   ///< retired, and control went backwards: a place to look for a spin
  blocked,  ///< had no effect; Context::blocked says why
  fatal,    ///< CS_FATAL is raised
};

inline uint64_t reg64(const Context& context, unsigned index) {
  return context.reg[index] | static_cast<uint64_t>(context.reg[index + 1]) << 32;
}
inline void set_reg64(Context& context, unsigned index, uint64_t value) {
  context.reg[index] = static_cast<uint32_t>(value);
  context.reg[index + 1] = static_cast<uint32_t>(value >> 32);
}

/// What instruction handlers share: memory, exceptions, deferred instructions. Internal to cs/.
class Core {
 public:
  Core(Environment& env, EventLog& event_log) : environment(env), log(event_log) {}

  Environment& environment;
  EventLog& log;
  /// Grows with everything that can be seen from outside the registers: two equal values mean "no side
  /// effect".
  uint64_t effects = 0;

  /// Host address of a naturally aligned scalar; a misaligned one is aborted (assumed).
  template <class T>
  AccessResult map(uint64_t va, Access access, T*& host) {
    if (va % sizeof(T)) return AccessResult::aborted;
    const Mmu::Lookup at = environment.translate(va, access);
    if (at.result == AccessResult::ok) host = reinterpret_cast<T*>(at.host);
    return at.result;
  }
  template <class T>
  AccessResult load(uint64_t va, T& value) {
    T* host = nullptr;
    const AccessResult result = map(va, Access::read, host);
    if (result == AccessResult::ok) value = std::atomic_ref<T>(*host).load(std::memory_order_acquire);
    return result;
  }

  /// Instruction fetch, a data read: panthor maps rings NOEXEC. The translation of the last fetch is kept for
  /// as long as it is contiguous, but only while this stream runs without calling out: the run loop drops it
  /// at the start of each slice, and every instruction that calls the environment for more than a translation
  /// drops it too. The guest cannot change the MMU in between, so a kept translation is never staler than the
  /// TLB behind translate().
  AccessResult fetch(uint64_t va, uint64_t& word) {
    const uint64_t offset = va - window_va_;
    if (offset >= window_bytes_) return fetch_slowly(va, word);
    word = std::atomic_ref<uint64_t>(*reinterpret_cast<uint64_t*>(window_host_ + offset))
               .load(std::memory_order_relaxed);
    return AccessResult::ok;
  }
  void drop_fetch_window() noexcept { window_bytes_ = 0; }

  /// A side effect outside the stream's own registers and memory: ends what may be cached or called
  /// repetition.
  void called_out() noexcept {
    ++effects;
    drop_fetch_window();
  }

  // Exceptions. All return what the handler returns.
  Step fatal(Context& context, ExceptionCode code, uint64_t info);
  Step invalid(Context& context, uint64_t word) {
    return fatal(context, ExceptionCode::cs_instr_invalid, word);
  }
  /// CS_FAULT: the stream goes on, but RUN_* is skipped until ERROR_BARRIER.
  Step fault(Context& context, ExceptionCode code, uint64_t info);
  /// Ends a failed access: a stall blocks the instruction, an abort is CS_FAULT CS_BUS_FAULT and retires it.
  Step failed_access(Context& context, AccessResult result, uint64_t va) {
    if (result == AccessResult::stalled) return block(context, Blocked::memory);
    return fault(context, ExceptionCode::cs_bus_fault, va);
  }
  static Step block(Context& context, Blocked why) {
    context.blocked = why;
    return Step::blocked;
  }
  void push_exception(Context& context, const Exception& exception);

  void add_progress(Context& context, uint64_t count = 1);
  void release(Context& context, unsigned entry);

  /// Parks an instruction until the entries in its wait mask are clear. Its signal entry counts from now on.
  Step defer(Context& context, const DeferredOperation& operation);
  /// Runs every parked instruction that may run, in issue order as far as their masks allow.
  void drain(Context& context);

  std::deque<Exception> exceptions;

 private:
  AccessResult fetch_slowly(uint64_t va, uint64_t& word);

  uint64_t window_va_ = 0, window_bytes_ = 0;
  std::byte* window_host_ = nullptr;
};

}  // namespace vgpu::cs
