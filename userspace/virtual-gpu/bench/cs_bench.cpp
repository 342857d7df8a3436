// SPDX-License-Identifier: MIT
// How fast command streams run. Items are instructions: items_per_second is instructions per second.
#include <benchmark/benchmark.h>

#include "tests/cs/fake_environment.hpp"
#include "tests/mmu/mmu_fixture.hpp"

namespace {

using namespace vgpu::cs;
using namespace vgpu::cs::test;

/// A called buffer whose loop body is `body`, with a counter in r1 that never ends.
void run_loop(benchmark::State& state, std::vector<uint64_t> body) {
  Stream stream;
  const auto back = static_cast<int16_t>(-static_cast<int>(body.size()) - 2);
  body.push_back(isa::add_imm32(1, 1, 1));
  body.push_back(isa::branch(isa::Condition::always, 0, back));
  stream.load(body);
  uint64_t executed = 0;
  for (auto _ : state) {
    const RunResult result = stream.run(100'000);
    if (result.state != RunState::more) state.SkipWithError("the loop ended");
    executed += result.executed;
  }
  state.SetItemsProcessed(static_cast<int64_t>(executed));
}

/// The loop the project's goal speaks of: NOP, ADD, BRANCH.
void CsRegisterLoop(benchmark::State& state) {
  run_loop(state, {isa::nop()});
}
BENCHMARK(CsRegisterLoop);

/// Arithmetic on many registers.
void CsArithmetic(benchmark::State& state) {
  run_loop(state, {isa::move48(2, 0x1234'5678'9abc), isa::add_imm64(4, 2, -3), isa::umin32(6, 2, 4),
                   isa::add_imm32(7, 6, 9), isa::move32(8, 5)});
}
BENCHMARK(CsArithmetic);

/// Sixteen registers loaded and stored.
void CsMemory(benchmark::State& state) {
  run_loop(state, {isa::move48(80, Stream::data_va), isa::load_multiple(16, 0xffff, 80),
                   isa::store_multiple(16, 0xffff, 80, 64)});
}
BENCHMARK(CsMemory);

/// What the driver's ring does for one job, with a one-instruction buffer: slices per second are jobs per
/// second.
void CsJobSequence(benchmark::State& state) {
  Stream stream;
  stream.environment.ends_at_once = &stream.interpreter;
  stream.environment.context = &stream.context;
  stream.write(Stream::code_va, std::vector{isa::nop()});
  const std::vector<uint64_t> sequence{
      isa::move32(94, 0),
      isa::flush_cache2(isa::FlushMode::clean_invalidate, isa::FlushMode::clean_invalidate,
                        isa::OtherFlushMode::invalidate, 94),
      isa::move48(92, Stream::code_va),
      isa::move32(94, 8),
      isa::wait(1),
      isa::call(92, 94),
      isa::move48(92, Stream::data_va),
      isa::move48(94, 1),
      isa::wait(0xff),
      isa::sync_add64(92, 94, isa::Scope::system, true),
      isa::error_barrier(),
      isa::nop()};
  uint64_t executed = 0;
  for (auto _ : state) {
    stream.push(sequence);
    executed += stream.run(1'000).executed;
    stream.environment.updates.clear();
    stream.environment.flushes.clear();
  }
  state.SetItemsProcessed(static_cast<int64_t>(executed));
}
BENCHMARK(CsJobSequence);

/// One step of a stream that only polls memory: what a spinning stream costs the host per slice.
void CsSpinningSlice(benchmark::State& state) {
  Stream stream;
  stream.load({isa::move48(80, Stream::data_va), isa::load_multiple(1, 1, 80),
               isa::branch(isa::Condition::equal, 1, -2)});
  for (auto _ : state)
    if (stream.run(1'000'000).state != RunState::spinning) state.SkipWithError("not seen as spinning");
}
BENCHMARK(CsSpinningSlice);

/// The fake machine's memory behind the real MMU: page tables, TLB, 4 KiB or 2 MiB mappings.
class MappedEnvironment : public FakeEnvironment, vgpu::test::MmuFixture {
 public:
  explicit MappedEnvironment(unsigned shift) {
    for (uint64_t offset = 0; offset < size; offset += uint64_t{1} << shift)
      table.map(base + offset, pages + offset, shift);
    enable();
  }
  vgpu::Mmu::Lookup translate(uint64_t va, vgpu::Access access) override { return lookup(va, access); }
  void write(uint64_t va, const std::vector<uint64_t>& words) {
    std::memcpy(memory.span(pages + (va - base), words.size() * 8).data(), words.data(), words.size() * 8);
  }

 private:
  void TestBody() override {}
};

/// CsRegisterLoop with every fetch through Mmu::translate(); the argument is the mapping's size, log2.
void CsRegisterLoopThroughMmu(benchmark::State& state) {
  MappedEnvironment environment(static_cast<unsigned>(state.range(0)));
  vgpu::VirtualClock clock;
  vgpu::EventLog log(clock);
  Interpreter interpreter(environment, log);
  Context context;
  const std::vector<uint64_t> body{isa::nop(), isa::add_imm32(1, 1, 1),
                                   isa::branch(isa::Condition::always, 0, -3)};
  const std::vector<uint64_t> ring_words{isa::move48(88, Stream::code_va), isa::move32(90, 24),
                                         isa::call(88, 90)};
  environment.write(Stream::code_va, body);
  environment.write(Stream::ring_va, ring_words);
  uint64_t executed = 0;
  for (auto _ : state) {
    const RunResult result = interpreter.run(context, {Stream::ring_va, Stream::ring_size, 24}, 1024);
    if (result.state != RunState::more) state.SkipWithError("the loop ended");
    executed += result.executed;
  }
  state.SetItemsProcessed(static_cast<int64_t>(executed));
}
BENCHMARK(CsRegisterLoopThroughMmu)->Arg(12)->Arg(21);

}  // namespace

BENCHMARK_MAIN();
