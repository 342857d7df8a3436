// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <vector>

#include "panthor/command_stream.hpp"
#include "panthor/isa/instructions.hpp"
#include "panthor/registers.hpp"

namespace panthor {

/// Writes a command stream of the v10 instruction set into memory the GPU can read, usually a mapped
/// BufferObject. Registers are allocated by hand. Nothing is written through until finish() except the
/// instructions themselves.
///
/// Errors: std::length_error when the memory is full, std::out_of_range for a register, immediate or branch
/// distance that the encoding cannot hold, std::logic_error for labels used wrongly.
class CommandStreamBuilder {
 public:
  /// A place in the stream, branched to before or after it is bound. Belongs to the builder that made it.
  class Label {
    friend class CommandStreamBuilder;
    explicit Label(size_t id) : id_(id) {}
    size_t id_;
  };

  /// A loop opened by begin_loop().
  struct Loop {
    Label start;
    Reg counter;
  };

  /// Bit mask of all scoreboard entries, for wait().
  static constexpr uint16_t all_scoreboards = (1u << isa::scoreboard_count) - 1;

  /// Writes to `words`, which the GPU sees at `va` (a multiple of 64 when the stream is submitted).
  /// `register_limit` (CsifInfo::cs_reg_count, possibly less the unpreserved ones) bounds every register
  /// used.
  CommandStreamBuilder(std::span<uint64_t> words, uint64_t va, unsigned register_limit = isa::register_count);

  /// Appends an encoded instruction, unchecked.
  void emit(uint64_t instruction);
  void nop() { emit(isa::nop()); }

  /// Any 64-bit immediate: one instruction up to 48 bits, two above.
  void move(RegPair destination, uint64_t value);
  void move(Reg destination, uint32_t value);
  void add(Reg destination, Reg source, int32_t immediate);
  void add(RegPair destination, RegPair source, int32_t immediate);
  void umin(Reg destination, Reg a, Reg b);

  /// Loads `count` (1 to 16) registers from `address` + `offset` bytes. Asynchronous: wait() before they are
  /// used.
  void load(Reg first, unsigned count, RegPair address, int16_t offset = 0);
  /// Stores `count` (1 to 16) registers to `address` + `offset` bytes. Asynchronous as well.
  void store(Reg first, unsigned count, RegPair address, int16_t offset = 0);
  /// Stores a timestamp or counter (64 bits) to `address` + `offset`.
  void store_state(isa::State state, RegPair address, int16_t offset = 0, isa::Deferral how = {});

  /// Blocks until the scoreboard entries of `mask` have nothing outstanding.
  void wait(uint16_t mask = all_scoreboards) { emit(isa::wait(mask)); }
  void set_scoreboard_entries(unsigned endpoint, unsigned other) { emit(isa::set_sb_entry(endpoint, other)); }

  [[nodiscard]] Label label();
  /// Puts `label` here. A label is bound once.
  void bind(Label label);
  /// A label bound here.
  [[nodiscard]] Label here();
  /// Goes to `target` when the signed `value` compares with 0 as `condition` says. 32767 instructions away at
  /// most.
  void branch(isa::Condition condition, Reg value, Label target);
  /// Goes to `target`.
  void branch(Label target) { branch(isa::Condition::always, Reg{0}, target); }
  /// Runs what follows, up to end_loop(), `times` (at least 1) times; `counter` counts down.
  [[nodiscard]] Loop begin_loop(Reg counter, uint32_t times);
  void end_loop(const Loop& loop);

  /// Loads `address` and `length` and calls `callee`, which returns at its end. Eight levels deep at most,
  /// the kernel's own call included.
  void call(const CommandStream& callee, RegPair address, Reg length);
  /// The same without return: this stream ends with `callee`.
  void jump(const CommandStream& callee, RegPair address, Reg length);

  /// Updates of a synchronisation object: the value at `address` (32 or 64 bits), its status word right
  /// behind it.
  void sync_add32(RegPair address, Reg data, isa::Scope scope = isa::Scope::system);
  void sync_set32(RegPair address, Reg data, isa::Scope scope = isa::Scope::system);
  void sync_add64(RegPair address, RegPair data, isa::Scope scope = isa::Scope::system);
  void sync_set64(RegPair address, RegPair data, isa::Scope scope = isa::Scope::system);
  /// Blocks the queue until the value at `address` is less_equal or greater than `reference` (unsigned).
  void sync_wait32(isa::Condition condition, RegPair address, Reg reference);
  void sync_wait64(isa::Condition condition, RegPair address, RegPair reference);

  /// Writes dirty lines of L2 and load/store caches back, so that the CPU sees what the stream stored, and
  /// waits for it. Overwrites `scratch`; uses scoreboard entry `entry`.
  void clean_caches(Reg scratch, unsigned entry = 1);
  void flush_caches(isa::FlushMode l2, isa::FlushMode lsc, isa::OtherFlushMode other, Reg flush_id,
                    isa::Deferral how = {});
  void error_barrier() { emit(isa::error_barrier()); }

  /// Bytes written so far.
  [[nodiscard]] uint32_t size_bytes() const noexcept;
  /// GPU address of the next instruction.
  [[nodiscard]] uint64_t next_va() const noexcept { return va_ + size_bytes(); }

  /// Fixes the branches up and returns the stream. Throws std::logic_error when a label that is branched to
  /// was never bound. The builder may go on afterwards.
  CommandStream finish();

 private:
  static constexpr size_t unbound = ~size_t{0};
  struct Fixup {
    size_t at;
    size_t label;
    isa::Condition condition;
    Reg value;
  };

  unsigned use(Reg reg) const;
  unsigned use(RegPair pair) const;
  uint16_t use_range(Reg first, unsigned count) const;

  std::span<uint64_t> words_;
  uint64_t va_;
  unsigned register_limit_;
  size_t count_ = 0;
  std::vector<size_t> labels_;  // position of each label
  std::vector<Fixup> fixups_;
};

}  // namespace panthor
