// SPDX-License-Identifier: MIT
#include "cs/handlers.hpp"
#include "cs/sync_wait.hpp"

namespace vgpu::cs {

bool compare(const Context& context, uint64_t value) noexcept {
  return context.wait_condition == static_cast<uint32_t>(isa::Condition::greater)
             ? value > context.wait_reference
             : value <= context.wait_reference;
}

AccessResult load_sync(Core& core, const Context& context, uint64_t& value) {
  if (context.wait_is_64) return core.load(context.wait_va, value);
  uint32_t narrow = 0;
  const AccessResult result = core.load(context.wait_va, narrow);
  value = narrow;
  return result;
}

bool progress_reached(const Core& core, const Context& context) {
  const std::optional<uint64_t> progress =
      core.environment.progress_of(static_cast<unsigned>(context.wait_va));
  return progress && *progress >= context.wait_reference;
}

namespace handlers {
namespace {

constexpr isa::Field wait_field = isa::field(isa::Opcode::wait, "wait");
constexpr isa::Field wait_progress = isa::field(isa::Opcode::wait, "progress_increment");
constexpr isa::Field endpoint_field = isa::field(isa::Opcode::set_sb_entry, "endpoint");
constexpr isa::Field other_field = isa::field(isa::Opcode::set_sb_entry, "other");
constexpr isa::Field condition_field = isa::field(isa::Opcode::sync_wait32, "condition");
constexpr isa::Field reject_field = isa::field(isa::Opcode::sync_wait32, "error_reject");
constexpr isa::Field address_field = isa::field(isa::Opcode::sync_wait32, "address");
constexpr isa::Field data_field = isa::field(isa::Opcode::sync_wait32, "data");
constexpr isa::Field queue_field = isa::field(isa::Opcode::progress_wait, "queue");
constexpr isa::Field source_field = isa::field(isa::Opcode::progress_wait, "source");

/// Values are unsigned. An error left at the object (status word at +4 or +8, SYNC_* with error_propagate) is
/// inherited as CS_FAULT unless the instruction rejects it.
Step sync_wait(Core& core, Context& context, uint64_t word, bool wide) {
  const auto data = static_cast<unsigned>(data_field.raw(word));
  context.wait_va = reg64(context, static_cast<unsigned>(address_field.raw(word)));
  context.wait_is_64 = wide;
  context.wait_condition = static_cast<uint32_t>(condition_field.raw(word));
  context.wait_reference = wide ? reg64(context, data) : context.reg[data];
  uint64_t value = 0;
  if (const AccessResult result = load_sync(core, context, value); result != AccessResult::ok)
    return core.failed_access(context, result, context.wait_va);
  if (!compare(context, value)) return Core::block(context, Blocked::sync);
  if (reject_field.raw(word)) return Step::next;
  uint32_t status = 0;
  const uint64_t status_va = context.wait_va + (wide ? 8 : 4);
  if (const AccessResult result = core.load(status_va, status); result != AccessResult::ok)
    return core.failed_access(context, result, status_va);
  return status ? core.fault(context, ExceptionCode::cs_inherit_fault, context.wait_va) : Step::next;
}

}  // namespace

Step wait(Core& core, Context& context, uint64_t word) {
  const auto mask = static_cast<uint32_t>(wait_field.raw(word));
  if (mask >> scoreboard_count) return core.invalid(context, word);
  for (unsigned entry = 0; entry < scoreboard_count; ++entry) {
    if (!(mask >> entry & 1) || !context.scoreboard[entry]) continue;
    context.wait_scoreboards = mask;
    return Core::block(context, Blocked::scoreboard);
  }
  context.wait_scoreboards = 0;
  if (wait_progress.raw(word)) core.add_progress(context);
  return Step::next;
}

Step set_sb_entry(Core& core, Context& context, uint64_t word) {
  const auto endpoint = static_cast<uint32_t>(endpoint_field.raw(word));
  const auto other = static_cast<uint32_t>(other_field.raw(word));
  if (endpoint >= scoreboard_count || other >= scoreboard_count) return core.invalid(context, word);
  context.endpoint_entry = endpoint;
  context.other_entry = other;
  return Step::next;
}

Step sync_wait32(Core& core, Context& context, uint64_t word) {
  return sync_wait(core, context, word, false);
}
Step sync_wait64(Core& core, Context& context, uint64_t word) {
  return sync_wait(core, context, word, true);
}

/// Goes on when the other queue's counter has reached the value (assumed: at least, not exactly).
Step progress_wait(Core& core, Context& context, uint64_t word) {
  context.wait_va = queue_field.raw(word);
  context.wait_reference = reg64(context, static_cast<unsigned>(source_field.raw(word)));
  return progress_reached(core, context) ? Step::next : Core::block(context, Blocked::progress);
}

Step progress_store(Core& core, Context& context, uint64_t word) {
  context.progress = reg64(context, static_cast<unsigned>(source_field.raw(word)));
  core.add_progress(context, 0);
  return Step::next;
}

Step progress_load(Core&, Context& context, uint64_t word) {
  set_reg64(context, static_cast<unsigned>(source_field.raw(word)), context.progress);
  return Step::next;
}

}  // namespace handlers
}  // namespace vgpu::cs
