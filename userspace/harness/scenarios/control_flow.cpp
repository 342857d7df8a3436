// SPDX-License-Identifier: MIT
#include "jobs/check.hpp"
#include "jobs/streams.hpp"
#include "scenarios/scenario.hpp"

namespace harness {
namespace {

using panthor::CommandStreamBuilder;
using panthor::Reg;

constexpr Reg sum{0};

void loop(Session& session) {
  const GpuBuffer memory = session.buffer(4096);
  const auto stream = session.stream([&](CommandStreamBuilder& cs) {
    cs.move(sum, 7);
    const auto loop = cs.begin_loop(streams::counter, 1000);
    cs.add(sum, sum, 3);
    cs.end_loop(loop);
    streams::store(cs, memory.va(), sum);
    streams::publish(cs);
  });
  session.run(session.group(), 0, stream, "loop");
  expect_equal("sum of the loop", memory.read32(0), 7 + 3 * 1000);
}

void branch_forward(Session& session) {
  const GpuBuffer memory = session.buffer(4096);
  const auto stream = session.stream([&](CommandStreamBuilder& cs) {
    const auto taken = cs.label();
    const auto out = cs.label();
    cs.move(sum, 0);
    cs.add(sum, sum, -5);  // the comparison is signed
    cs.branch(panthor::isa::Condition::less, sum, taken);
    streams::store(cs, memory.va(), 1);
    cs.branch(out);
    cs.bind(taken);
    streams::store(cs, memory.va(), 2);
    cs.bind(out);
    streams::publish(cs);
  });
  session.run(session.group(), 0, stream, "branch");
  expect_equal("side the branch took", memory.read32(0), 2);
}

void call_and_return(Session& session) {
  const GpuBuffer memory = session.buffer(4096);
  const auto inner = session.stream([&](CommandStreamBuilder& cs) { cs.add(sum, sum, 100); });
  const auto outer = session.stream([&](CommandStreamBuilder& cs) {
    cs.call(inner, streams::call_address, streams::call_length);
    cs.call(inner, streams::call_address, streams::call_length);
    cs.add(sum, sum, 1000);
  });
  const auto stream = session.stream([&](CommandStreamBuilder& cs) {
    cs.move(sum, 1);
    cs.call(outer, streams::call_address, streams::call_length);
    cs.add(sum, sum, 10000);
    streams::store(cs, memory.va(), sum);
    streams::publish(cs);
  });
  session.run(session.group(), 0, stream, "call");
  expect_equal("sum over two levels of calls", memory.read32(0), 1 + 2 * 100 + 1000 + 10000);
}

void jump_without_return(Session& session) {
  const GpuBuffer memory = session.buffer(4096);
  const auto target = session.stream([&](CommandStreamBuilder& cs) {
    streams::store(cs, memory.va(), 0x600d);
    streams::publish(cs);
  });
  const auto stream = session.stream([&](CommandStreamBuilder& cs) {
    cs.jump(target, streams::call_address, streams::call_length);
    streams::store(cs, memory.va(), 0xbad);
  });
  session.run(session.group(), 0, stream, "jump");
  expect_equal("word after the jump", memory.read32(0), 0x600d);
}

constexpr Scenario table[] = {
    {"flow.loop", "A loop of ADD_IMM32 and BRANCH runs the right number of times", loop},
    {"flow.branch", "A conditional branch forward takes the side its signed condition says", branch_forward},
    {"flow.call", "Nested calls return to where they came from with registers kept", call_and_return},
    {"flow.jump", "A jump ends the stream at its target", jump_without_return},
};

}  // namespace

std::span<const Scenario> control_flow_scenarios() {
  return table;
}

}  // namespace harness
