// SPDX-License-Identifier: MIT
#include "cs/deferrable.hpp"

#include <array>

#include "cs/handlers.hpp"

// Instructions with a wait mask and a signal entry. A mask of 0 means now; then only FLUSH_CACHE2, which is
// always asynchronous, uses its entry. Otherwise the operands are captured, the entry counts one more, and
// the instruction runs when every entry of the mask is 0 (assumed: hardware waits for the operations issued
// before it).
namespace vgpu::cs {
namespace {

using isa::Opcode;

// All deferrable instructions have these fields in the same place (checked below).
constexpr isa::Field wait_field = isa::shared::wait_mask;
constexpr isa::Field signal_field = isa::shared::signal_slot;

constexpr isa::Field address_field = isa::field(Opcode::sync_add32, "address");
constexpr isa::Field data_field = isa::field(Opcode::sync_add32, "data");
constexpr isa::Field scope_field = isa::field(Opcode::sync_add32, "scope");
constexpr isa::Field propagate_field = isa::field(Opcode::sync_add32, "error_propagate");
constexpr isa::Field state_field = isa::field(Opcode::store_state, "state");
constexpr isa::Field offset_field = isa::field(Opcode::store_state, "offset");
constexpr isa::Field flush_id_field = isa::field(Opcode::flush_cache2, "flush_id");
constexpr uint64_t flush_modes = isa::field(Opcode::flush_cache2, "l2").word_mask() |
                                 isa::field(Opcode::flush_cache2, "lsc").word_mask() |
                                 isa::field(Opcode::flush_cache2, "other").word_mask();
constexpr isa::Field heap_operation_field = isa::field(Opcode::heap_operation, "operation");
constexpr isa::Field frag_end_field = isa::field(Opcode::finish_fragment, "frag_end");
constexpr isa::Field last_chunk_field = isa::field(Opcode::finish_fragment, "last_chunk");
constexpr isa::Field first_chunk_field = isa::field(Opcode::finish_fragment, "first_chunk");
constexpr isa::Field trace_base_field = isa::field(Opcode::trace_point, "base");
constexpr isa::Field trace_count_field = isa::field(Opcode::trace_point, "count");

unsigned index(const isa::Field& field, uint64_t word) {
  return static_cast<unsigned>(field.raw(word));
}

// --- capturing operands at issue
// -------------------------------------------------------------------------------

DeferredOperation capture_sync32(const Context& context, uint64_t word) {
  return {word, reg64(context, index(address_field, word)), context.reg[data_field.raw(word)]};
}
DeferredOperation capture_sync64(const Context& context, uint64_t word) {
  return {word, reg64(context, index(address_field, word)), reg64(context, index(data_field, word))};
}
DeferredOperation capture_state(const Context& context, uint64_t word) {
  return {word, reg64(context, index(address_field, word)) + static_cast<uint64_t>(offset_field.value(word)),
          0};
}
DeferredOperation capture_flush(const Context& context, uint64_t word) {
  return {word, 0, context.reg[flush_id_field.raw(word)]};
}
DeferredOperation capture_fragment(const Context& context, uint64_t word) {
  return {word, reg64(context, index(first_chunk_field, word)),
          reg64(context, index(last_chunk_field, word))};
}
DeferredOperation capture_nothing(const Context&, uint64_t word) {
  return {word, 0, 0};
}

// --- translating
// ---------------------------------------------------------------------------------------------

template <class T>
AccessResult map_object(Core& core, uint64_t va, Access access, Resolved& resolved) {
  resolved.failed_va = va;
  T* host = nullptr;
  const AccessResult result = core.map(va, access, host);
  resolved.object = reinterpret_cast<std::byte*>(host);
  return result;
}
/// The status word is written at +4 (32-bit objects) or +8 (64-bit ones): genxml, "Iter status".
template <class T>
AccessResult resolve_sync(Core& core, const DeferredOperation& operation, Resolved& resolved) {
  const AccessResult result = map_object<T>(core, operation.address, Access::atomic, resolved);
  if (result != AccessResult::ok || !propagate_field.raw(operation.instruction)) return result;
  resolved.failed_va = operation.address + sizeof(T);
  return core.map(resolved.failed_va, Access::write, resolved.status);
}
AccessResult resolve_state(Core& core, const DeferredOperation& operation, Resolved& resolved) {
  return map_object<uint64_t>(core, operation.address, Access::write, resolved);
}
AccessResult resolve_nothing(Core&, const DeferredOperation&, Resolved&) {
  return AccessResult::ok;
}

// --- effects
// -------------------------------------------------------------------------------------------------

template <class T>
std::atomic_ref<T> object(const Resolved& resolved) {
  return std::atomic_ref<T>(*reinterpret_cast<T*>(resolved.object));
}

template <class T, bool add>
bool apply_sync(Core& core, Context& context, const DeferredOperation& operation, const Resolved& resolved) {
  const SyncScope scope = scope_field.raw(operation.instruction) ? SyncScope::csg : SyncScope::system;
  const bool lost = core.environment.loses_sync_write(scope);
  // The status first: whoever sees the new value must see the error too.
  if (resolved.status)
    std::atomic_ref<uint32_t>(*resolved.status).store(context.error_status != 0, std::memory_order_release);
  if (lost)
    ;  // neither
  else if constexpr (add)
    object<T>(resolved).fetch_add(static_cast<T>(operation.data));
  else
    object<T>(resolved).store(static_cast<T>(operation.data));
  core.called_out();
  core.environment.sync_updated(operation.address, scope);
  return true;
}

uint64_t timestamp(const Core& core, const Context&) {
  return core.environment.timestamp();
}
uint64_t cycle_count(const Core& core, const Context&) {
  return core.environment.cycle_count();
}
uint64_t disjoint_count(const Core& core, const Context&) {
  return core.environment.disjoint_count();
}
uint64_t error_status(const Core&, const Context& context) {
  return context.error_status;
}
/// Indexed by isa::State.
constexpr std::array<uint64_t (*)(const Core&, const Context&), 4> states{timestamp, cycle_count,
                                                                          disjoint_count, error_status};

bool apply_state(Core& core, Context& context, const DeferredOperation& operation, const Resolved& resolved) {
  const uint64_t value = states[state_field.raw(operation.instruction)](core, context);
  object<uint64_t>(resolved).store(value, std::memory_order_release);
  ++core.effects;
  return true;
}

bool apply_flush(Core& core, Context&, const DeferredOperation& operation, const Resolved&) {
  core.called_out();
  if (!(operation.instruction & flush_modes)) return true;
  return !core.environment.flush(static_cast<uint32_t>(operation.data), signal_entry(operation.instruction));
}

bool apply_heap_operation(Core& core, Context&, const DeferredOperation& operation, const Resolved&) {
  core.called_out();
  core.environment.heap_operation(
      static_cast<HeapOperation>(heap_operation_field.raw(operation.instruction)));
  return true;
}

/// Returns the chunks of a finished render pass to the heap; a pair of 0 frees nothing.
bool apply_fragment(Core& core, Context&, const DeferredOperation& operation, const Resolved&) {
  core.called_out();
  if (operation.address) core.environment.free_heap_chunks(operation.address, operation.data);
  if (frag_end_field.raw(operation.instruction))
    core.environment.heap_operation(HeapOperation::fragment_completed);
  return true;
}

/// Deferred ones show the registers as they are when they run (assumed).
bool apply_trace(Core& core, Context& context, const DeferredOperation& operation, const Resolved&) {
  core.called_out();
  core.environment.trace_point(std::span<const uint32_t>(context.reg)
                                   .subspan(index(trace_base_field, operation.instruction),
                                            index(trace_count_field, operation.instruction)));
  return true;
}

struct Kind {
  Opcode opcode;
  bool asynchronous;  ///< uses its signal entry even when nothing is waited for
  DeferredOperation (*capture)(const Context&, uint64_t);
  AccessResult (*resolve)(Core&, const DeferredOperation&, Resolved&);
  bool (*apply)(Core&, Context&, const DeferredOperation&, const Resolved&);
};

constexpr std::array<Kind, 9> kinds{{
    {Opcode::sync_add32, false, capture_sync32, resolve_sync<uint32_t>, apply_sync<uint32_t, true>},
    {Opcode::sync_set32, false, capture_sync32, resolve_sync<uint32_t>, apply_sync<uint32_t, false>},
    {Opcode::sync_add64, false, capture_sync64, resolve_sync<uint64_t>, apply_sync<uint64_t, true>},
    {Opcode::sync_set64, false, capture_sync64, resolve_sync<uint64_t>, apply_sync<uint64_t, false>},
    {Opcode::store_state, false, capture_state, resolve_state, apply_state},
    {Opcode::flush_cache2, true, capture_flush, resolve_nothing, apply_flush},
    {Opcode::heap_operation, false, capture_nothing, resolve_nothing, apply_heap_operation},
    {Opcode::finish_fragment, false, capture_fragment, resolve_nothing, apply_fragment},
    {Opcode::trace_point, false, capture_nothing, resolve_nothing, apply_trace},
}};

constexpr bool fields_are_shared() {
  for (const Kind& kind : kinds) {
    const isa::Field wait = isa::field(kind.opcode, wait_field.name);
    const isa::Field signal = isa::field(kind.opcode, signal_field.name);
    if (wait.word_mask() != wait_field.word_mask() || signal.word_mask() != signal_field.word_mask())
      return false;
  }
  return true;
}
static_assert(fields_are_shared());

const Kind* find_kind(uint64_t instruction) {
  for (const Kind& kind : kinds)
    if (static_cast<uint8_t>(kind.opcode) == isa::opcode_of(instruction)) return &kind;
  return nullptr;
}
/// Only for words the dispatch table or is_deferrable() let through.
const Kind& kind_of(uint64_t instruction) {
  return *find_kind(instruction);
}

/// Checks that need more than the instruction table: scoreboard entries, and what a register count reaches.
bool operands_exist(const Kind& kind, uint64_t word) {
  const uint32_t mask = wait_mask(word);
  const bool signals = mask != 0 || kind.asynchronous;
  if (mask >> scoreboard_count || (signals && signal_entry(word) >= scoreboard_count)) return false;
  return kind.opcode != Opcode::trace_point ||
         index(trace_base_field, word) + index(trace_count_field, word) <= register_count;
}

}  // namespace

bool is_deferrable(uint64_t instruction) noexcept {
  const Kind* kind = find_kind(instruction);
  return kind && wait_mask(instruction) && dispatch_table[isa::opcode_of(instruction)].legal(instruction) &&
         operands_exist(*kind, instruction);
}
uint32_t wait_mask(uint64_t instruction) noexcept {
  return static_cast<uint32_t>(wait_field.raw(instruction));
}
unsigned signal_entry(uint64_t instruction) noexcept {
  return index(signal_field, instruction);
}

AccessResult resolve(Core& core, const DeferredOperation& operation, Resolved& resolved) {
  return kind_of(operation.instruction).resolve(core, operation, resolved);
}
bool apply(Core& core, Context& context, const DeferredOperation& operation, const Resolved& resolved) {
  return kind_of(operation.instruction).apply(core, context, operation, resolved);
}

Step handlers::deferrable(Core& core, Context& context, uint64_t word) {
  const Kind& kind = kind_of(word);
  if (!operands_exist(kind, word)) return core.invalid(context, word);
  const DeferredOperation operation = kind.capture(context, word);
  if (wait_mask(word)) return core.defer(context, operation);

  Resolved resolved;
  if (const AccessResult result = kind.resolve(core, operation, resolved); result != AccessResult::ok)
    return core.failed_access(context, result, resolved.failed_va);
  if (kind.asynchronous) ++context.scoreboard[signal_entry(word)];
  if (kind.apply(core, context, operation, resolved) && kind.asynchronous)
    core.release(context, signal_entry(word));
  return Step::next;
}

}  // namespace vgpu::cs
