// SPDX-License-Identifier: MIT
// A context may be copied out and back between any two instructions, and memory may stall at any moment: the
// result is the same. Random programs, each run in one go and in the most broken-up way.
#include <gtest/gtest.h>

#include <cstring>
#include <random>

#include "tests/cs/fake_environment.hpp"

namespace vgpu::cs::test {
namespace {

constexpr uint64_t data_va = Stream::data_va;

using Random = std::mt19937_64;

unsigned below(Random& random, unsigned limit) {
  return static_cast<unsigned>(random() % limit);
}

/// Destinations stay below r64; d80, d82, d84 keep pointing to data, r70 holds a huge value.
uint64_t random_instruction(Random& random) {
  const unsigned destination = below(random, 62), source = below(random, 62);
  const unsigned address = 80 + 2 * below(random, 3);
  isa::Deferral how;
  if (random() & 1)
    how = {.wait = static_cast<uint16_t>(1u << below(random, 4)),
           .signal = static_cast<uint8_t>(4 + below(random, 4))};
  const auto scope = random() & 1 ? isa::Scope::csg : isa::Scope::system;
  switch (below(random, 24)) {
    case 0:
      return isa::move32(destination, static_cast<uint32_t>(random()));
    case 1:
      return isa::move48(destination, random() >> 16);
    case 2:
      return isa::add_imm32(destination, source, static_cast<int32_t>(random()));
    case 3:
      return isa::add_imm64(destination, source, static_cast<int32_t>(random()));
    case 4:
      return isa::umin32(destination, source, below(random, 62));
    case 5:
    case 6:
      return isa::load_multiple(below(random, 46), static_cast<uint16_t>(random()), address, 4);
    case 7:
    case 8:
      return isa::store_multiple(below(random, 46), static_cast<uint16_t>(random()), address, -8);
    case 9:
      return isa::branch(static_cast<isa::Condition>(below(random, 7)), source,
                         static_cast<int16_t>(below(random, 3)));
    case 10:
      return isa::sync_add32(address, source, scope, random() & 1, how);
    case 11:
      return isa::sync_add64(address, source, scope, random() & 1, how);
    case 12:
      return isa::sync_set32(address, source, scope, random() & 1, how);
    case 13:
      return isa::sync_set64(address, source, scope, random() & 1, how);
    case 14:
      return isa::sync_wait32(isa::Condition::less_equal, address, 70, random() & 1);
    case 15:
      return isa::wait(static_cast<uint16_t>(random() & 0xff));
    case 16:
      return isa::set_sb_entry(below(random, 4), 0);
    case 17:
      return isa::run_compute({}, 1, {}, random() & 1);
    case 18:
      return isa::store_state(isa::State::timestamp, address, 0, how);
    case 19:
      return isa::flush_cache2(isa::FlushMode::clean, isa::FlushMode::clean, isa::OtherFlushMode::none,
                               source, how);
    case 20:
      return isa::heap_operation(isa::HeapOp::vertex_tiler_started, how);
    case 21:
      return isa::progress_store(source);
    case 22:
      return isa::progress_load(destination);
    default:
      return random() & 1 ? isa::call(86, 71) : isa::error_barrier();
  }
}

struct Machine : Stream {
  explicit Machine(uint64_t seed) {
    Random random(seed);
    std::vector<uint64_t> program{isa::move48(80, data_va + 0xff8), isa::move48(82, data_va + 0x1ff8),
                                  isa::move48(84, data_va + 0x100), isa::move32(70, 0xffff'ffff),
                                  isa::move48(86, other_va),        isa::move32(71, 8 * 6)};
    std::vector<uint64_t> inner;
    for (int i = 0; i < 6; ++i) {
      uint64_t word = random_instruction(random);
      if (isa::opcode_of(word) == static_cast<uint8_t>(isa::Opcode::call)) word = isa::nop();
      inner.push_back(word);
    }
    for (int i = 0; i < 60; ++i) program.push_back(random_instruction(random));
    write(other_va, inner);
    load(program);
  }
  /// Ends the oldest thing in flight; false when nothing is.
  bool end_one() {
    if (!environment.jobs.empty())
      end_job();
    else if (!environment.flushes.empty())
      end_flush();
    else
      return false;
    return true;
  }
};

/// Things in flight end only when the stream can do nothing else, so that both ways of running agree on when.
RunState whole(Machine& machine) {
  constexpr uint64_t budget = 1'000'000;
  for (uint64_t used = 0;;) {
    const RunResult result = machine.run(budget);
    used += result.executed;
    if (result.state == RunState::more && used < budget) continue;  // a CS_FAULT ends a run early
    if (result.state == RunState::fatal || !machine.end_one()) return result.state;
  }
}

RunState broken_up(Machine& machine, uint64_t seed) {
  Random random(seed);
  for (int guard = 0; guard < 100'000; ++guard) {
    // Another interpreter gets the context as plain bytes, as after a suspend and a resume on another slot.
    std::array<std::byte, sizeof(Context)> image;
    std::memcpy(image.data(), &machine.context, image.size());
    machine.context = Context{};
    std::memcpy(&machine.context, image.data(), image.size());
    Interpreter next(machine.environment, machine.log);

    const bool stall = random() % 3 == 0;
    if (stall)
      machine.environment.stalled = {FakeEnvironment::base + FakeEnvironment::page * (random() % 16)};
    const RunResult result = next.run(machine.context, machine.ring, 1);
    machine.environment.stalled.clear();
    if (result.state == RunState::fatal) return result.state;
    if (result.state == RunState::more || machine.context.blocked == Blocked::memory) continue;
    if (stall || machine.context.deferred_stalled) continue;
    if (!machine.end_one()) return result.state;
  }
  return RunState::more;
}

TEST(Suspend, AnyCutGivesTheSameResult) {
  int fatal = 0;
  for (uint64_t seed = 0; seed < 400; ++seed) {
    Machine one(seed), other(seed);
    const RunState expected = whole(one);
    ASSERT_EQ(broken_up(other, seed), expected) << "seed " << seed;
    ASSERT_EQ(std::memcmp(&one.context, &other.context, sizeof(Context)), 0) << "seed " << seed;
    ASSERT_EQ(one.environment.bytes, other.environment.bytes) << "seed " << seed;
    ASSERT_EQ(one.environment.updates, other.environment.updates) << "seed " << seed;
    ASSERT_EQ(one.environment.heap_operations, other.environment.heap_operations) << "seed " << seed;
    ASSERT_EQ(one.environment.progress_reports, other.environment.progress_reports) << "seed " << seed;
    fatal += expected == RunState::fatal;
  }
  EXPECT_LT(fatal, 40) << "the programs should mostly run to their end";
}

TEST(Suspend, AnyBytesAreASafeContext) {
  Random random(7);
  for (int round = 0; round < 500; ++round) {
    Machine machine(static_cast<uint64_t>(round));
    auto* words = reinterpret_cast<uint32_t*>(&machine.context);
    for (size_t i = 0; i < sizeof(Context) / 4; ++i) words[i] = static_cast<uint32_t>(random());
    if (round & 1) machine.context.dead = 0;
    (void)machine.run(1'000);
    machine.interpreter.job_done(machine.context, 0, std::nullopt);
    machine.interpreter.deferred_done(machine.context, 9);
    (void)machine.interpreter.sync_satisfied(machine.context);
    (void)machine.interpreter.enter_exception_handler(machine.context);
    (void)machine.run(1'000);
  }
}

}  // namespace
}  // namespace vgpu::cs::test
