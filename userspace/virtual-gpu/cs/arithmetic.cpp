// SPDX-License-Identifier: MIT
#include <algorithm>

#include "cs/handlers.hpp"

namespace vgpu::cs::handlers {
namespace {
constexpr isa::Field destination = isa::field(isa::Opcode::add_imm32, "destination");
constexpr isa::Field source = isa::field(isa::Opcode::add_imm32, "source");
constexpr isa::Field addend = isa::field(isa::Opcode::add_imm32, "immediate");
constexpr isa::Field immediate32 = isa::field(isa::Opcode::move32, "immediate");
constexpr isa::Field immediate48 = isa::field(isa::Opcode::move48, "immediate");
constexpr isa::Field umin_source1 = isa::field(isa::Opcode::umin32, "source1");
constexpr isa::Field umin_source2 = isa::field(isa::Opcode::umin32, "source2");
}  // namespace

Step nop(Core&, Context&, uint64_t) {
  return Step::next;
}

Step move48(Core&, Context& context, uint64_t word) {
  set_reg64(context, static_cast<unsigned>(destination.raw(word)), immediate48.raw(word));
  return Step::next;
}

Step move32(Core&, Context& context, uint64_t word) {
  context.reg[destination.raw(word)] = static_cast<uint32_t>(immediate32.raw(word));
  return Step::next;
}

Step add_imm32(Core&, Context& context, uint64_t word) {
  context.reg[destination.raw(word)] =
      context.reg[source.raw(word)] + static_cast<uint32_t>(addend.raw(word));
  return Step::next;
}

/// The 32-bit immediate is sign-extended.
Step add_imm64(Core&, Context& context, uint64_t word) {
  const uint64_t sum =
      reg64(context, static_cast<unsigned>(source.raw(word))) + static_cast<uint64_t>(addend.value(word));
  set_reg64(context, static_cast<unsigned>(destination.raw(word)), sum);
  return Step::next;
}

Step umin32(Core&, Context& context, uint64_t word) {
  context.reg[destination.raw(word)] =
      std::min(context.reg[umin_source1.raw(word)], context.reg[umin_source2.raw(word)]);
  return Step::next;
}

}  // namespace vgpu::cs::handlers
