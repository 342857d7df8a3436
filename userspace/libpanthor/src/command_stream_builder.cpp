// SPDX-License-Identifier: MIT
#include "panthor/command_stream_builder.hpp"

#include <fmt/format.h>

#include <limits>
#include <stdexcept>

namespace panthor {

CommandStreamBuilder::CommandStreamBuilder(std::span<uint64_t> words, uint64_t va, unsigned register_limit)
    : words_(words), va_(va), register_limit_(register_limit) {}

void CommandStreamBuilder::emit(uint64_t instruction) {
  if (count_ == words_.size())
    throw std::length_error(fmt::format("command stream is full: {} instructions", words_.size()));
  words_[count_++] = instruction;
}

unsigned CommandStreamBuilder::use(Reg reg) const {
  if (reg.index >= register_limit_)
    throw std::out_of_range(fmt::format("r{} is beyond r{}", reg.index, register_limit_ - 1));
  return reg.index;
}

unsigned CommandStreamBuilder::use(RegPair pair) const {
  use(pair.high());
  return pair.index;
}

uint16_t CommandStreamBuilder::use_range(Reg first, unsigned count) const {
  if (count < 1 || count > 16) throw std::out_of_range(fmt::format("{} registers, not 1 to 16", count));
  if (first.index + count > register_limit_)
    throw std::out_of_range(
        fmt::format("r{} to r{} is beyond r{}", first.index, first.index + count - 1, register_limit_ - 1));
  return static_cast<uint16_t>((1u << count) - 1);
}

void CommandStreamBuilder::move(RegPair destination, uint64_t value) {
  if (value >> 48 == 0) {
    emit(isa::move48(use(destination), value));
  } else {
    move(destination.low(), static_cast<uint32_t>(value));
    move(destination.high(), static_cast<uint32_t>(value >> 32));
  }
}

void CommandStreamBuilder::move(Reg destination, uint32_t value) {
  emit(isa::move32(use(destination), value));
}

void CommandStreamBuilder::add(Reg destination, Reg source, int32_t immediate) {
  emit(isa::add_imm32(use(destination), use(source), immediate));
}

void CommandStreamBuilder::add(RegPair destination, RegPair source, int32_t immediate) {
  emit(isa::add_imm64(use(destination), use(source), immediate));
}

void CommandStreamBuilder::umin(Reg destination, Reg a, Reg b) {
  emit(isa::umin32(use(destination), use(a), use(b)));
}

void CommandStreamBuilder::load(Reg first, unsigned count, RegPair address, int16_t offset) {
  const uint16_t mask = use_range(first, count);
  emit(isa::load_multiple(first.index, mask, use(address), offset));
}

void CommandStreamBuilder::store(Reg first, unsigned count, RegPair address, int16_t offset) {
  const uint16_t mask = use_range(first, count);
  emit(isa::store_multiple(first.index, mask, use(address), offset));
}

void CommandStreamBuilder::store_state(isa::State state, RegPair address, int16_t offset, isa::Deferral how) {
  emit(isa::store_state(state, use(address), offset, how));
}

CommandStreamBuilder::Label CommandStreamBuilder::label() {
  labels_.push_back(unbound);
  return Label(labels_.size() - 1);
}

void CommandStreamBuilder::bind(Label label) {
  size_t& position = labels_.at(label.id_);
  if (position != unbound) throw std::logic_error("label is bound twice");
  position = count_;
}

CommandStreamBuilder::Label CommandStreamBuilder::here() {
  const Label label = this->label();
  bind(label);
  return label;
}

void CommandStreamBuilder::branch(isa::Condition condition, Reg value, Label target) {
  fixups_.push_back({count_, target.id_, condition, {static_cast<uint8_t>(use(value))}});
  emit(isa::nop());  // finish() puts the branch here
}

CommandStreamBuilder::Loop CommandStreamBuilder::begin_loop(Reg counter, uint32_t times) {
  if (times == 0 || times > static_cast<uint32_t>(std::numeric_limits<int32_t>::max()))
    throw std::out_of_range(fmt::format("{} loops, not 1 to 2^31 - 1", times));
  move(counter, times);
  return {here(), counter};
}

void CommandStreamBuilder::end_loop(const Loop& loop) {
  add(loop.counter, loop.counter, -1);
  branch(isa::Condition::greater, loop.counter, loop.start);
}

void CommandStreamBuilder::call(const CommandStream& callee, RegPair address, Reg length) {
  move(address, callee.va);
  move(length, callee.bytes);
  emit(isa::call(address.index, length.index));
}

void CommandStreamBuilder::jump(const CommandStream& callee, RegPair address, Reg length) {
  move(address, callee.va);
  move(length, callee.bytes);
  emit(isa::jump(address.index, length.index));
}

void CommandStreamBuilder::sync_add32(RegPair address, Reg data, isa::Scope scope) {
  emit(isa::sync_add32(use(address), use(data), scope));
}

void CommandStreamBuilder::sync_set32(RegPair address, Reg data, isa::Scope scope) {
  emit(isa::sync_set32(use(address), use(data), scope));
}

void CommandStreamBuilder::sync_add64(RegPair address, RegPair data, isa::Scope scope) {
  emit(isa::sync_add64(use(address), use(data), scope));
}

void CommandStreamBuilder::sync_set64(RegPair address, RegPair data, isa::Scope scope) {
  emit(isa::sync_set64(use(address), use(data), scope));
}

void CommandStreamBuilder::sync_wait32(isa::Condition condition, RegPair address, Reg reference) {
  emit(isa::sync_wait32(condition, use(address), use(reference)));
}

void CommandStreamBuilder::sync_wait64(isa::Condition condition, RegPair address, RegPair reference) {
  emit(isa::sync_wait64(condition, use(address), use(reference)));
}

void CommandStreamBuilder::clean_caches(Reg scratch, unsigned entry) {
  move(scratch, 0);  // flush id 0: whatever was flushed before
  flush_caches(isa::FlushMode::clean, isa::FlushMode::clean, isa::OtherFlushMode::none, scratch,
               {.wait = 0, .signal = static_cast<uint8_t>(entry)});
  wait(static_cast<uint16_t>(1u << entry));
}

void CommandStreamBuilder::flush_caches(isa::FlushMode l2, isa::FlushMode lsc, isa::OtherFlushMode other,
                                        Reg flush_id, isa::Deferral how) {
  emit(isa::flush_cache2(l2, lsc, other, use(flush_id), how));
}

uint32_t CommandStreamBuilder::size_bytes() const noexcept {
  return static_cast<uint32_t>(count_ * isa::instruction_bytes);
}

CommandStream CommandStreamBuilder::finish() {
  for (const Fixup& fixup : fixups_) {
    const size_t target = labels_[fixup.label];
    if (target == unbound) throw std::logic_error("a branch goes to a label that is not bound");
    const int64_t distance = static_cast<int64_t>(target) - static_cast<int64_t>(fixup.at) - 1;
    if (distance < std::numeric_limits<int16_t>::min() || distance > std::numeric_limits<int16_t>::max())
      throw std::out_of_range(fmt::format("a branch of {} instructions", distance));
    words_[fixup.at] = isa::branch(fixup.condition, fixup.value.index, static_cast<int16_t>(distance));
  }
  fixups_.clear();
  return {va_, size_bytes()};
}

}  // namespace panthor
