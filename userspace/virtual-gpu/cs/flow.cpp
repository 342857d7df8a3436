// SPDX-License-Identifier: MIT
#include <array>

#include "cs/handlers.hpp"

// When a handler runs, Context::pc (or extract, in the ring) already names the next instruction.
namespace vgpu::cs::handlers {
namespace {

constexpr isa::Field condition_field = isa::field(isa::Opcode::branch, "condition");
constexpr isa::Field value_field = isa::field(isa::Opcode::branch, "value");
constexpr isa::Field offset_field = isa::field(isa::Opcode::branch, "offset");
constexpr isa::Field address_field = isa::field(isa::Opcode::call, "address");
constexpr isa::Field length_field = isa::field(isa::Opcode::call, "length");
constexpr isa::Field type_field = isa::field(isa::Opcode::set_exception_handler, "type");

/// Bit 0: taken for a negative value, bit 1: for zero, bit 2: for a positive one. Indexed by isa::Condition.
constexpr std::array<uint8_t, 8> taken_for{0b011, 0b100, 0b010, 0b101, 0b001, 0b110, 0b111, 0};

struct Target {
  uint64_t va;
  uint32_t bytes;

  Target(const Context& context, uint64_t word)
      : va(reg64(context, static_cast<unsigned>(address_field.raw(word)))),
        bytes(context.reg[length_field.raw(word)]) {}

  [[nodiscard]] bool aligned() const { return ((va | bytes) & (isa::instruction_bytes - 1)) == 0; }
};

}  // namespace

/// Compares a signed 32-bit register with 0. A taken branch in the ring itself is illegal (assumed, as Mesa's
/// decoder says of JUMP): the ring offset only ever grows.
Step branch(Core& core, Context& context, uint64_t word) {
  const auto value = static_cast<int32_t>(context.reg[value_field.raw(word)]);
  const unsigned sign = value < 0 ? 0u : value == 0 ? 1u : 2u;
  if (!(taken_for[condition_field.raw(word)] >> sign & 1)) return Step::next;
  if (!context.depth) return core.invalid(context, word);
  const int64_t offset = offset_field.value(word);
  context.pc += static_cast<uint64_t>(offset * int64_t{isa::instruction_bytes});
  return offset < 0 ? Step::looped : Step::next;
}

Step call(Core& core, Context& context, uint64_t word) {
  const Target target(context, word);
  if (!target.aligned()) return core.invalid(context, word);
  if (context.depth == call_depth)
    return core.fatal(context, ExceptionCode::cs_call_stack_overflow, target.va);
  context.frame[context.depth++] = {context.pc, context.end};
  context.pc = target.va;
  context.end = target.va + target.bytes;
  return Step::next;
}

/// Replaces the current buffer; returning from the new one returns from the old one.
Step jump(Core& core, Context& context, uint64_t word) {
  const Target target(context, word);
  if (!target.aligned() || !context.depth) return core.invalid(context, word);
  const bool backwards = target.va < context.pc;
  context.pc = target.va;
  context.end = target.va + target.bytes;
  return backwards ? Step::looped : Step::next;
}

/// Only the tiler-OOM handler is known (Mesa's panvk). An address of 0 removes it (assumed).
Step set_exception_handler(Core& core, Context& context, uint64_t word) {
  const Target target(context, word);
  if (!target.aligned()) return core.invalid(context, word);
  if (type_field.raw(word) != static_cast<uint8_t>(isa::ExceptionType::tiler_oom)) {
    core.log.unmodelled(fmt::format("cs: SET_EXCEPTION_HANDLER type {}", type_field.raw(word)));
    return Step::next;
  }
  context.handler_va = target.va;
  context.handler_size = target.bytes;
  return Step::next;
}

}  // namespace vgpu::cs::handlers
