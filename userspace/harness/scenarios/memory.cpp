// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include "jobs/check.hpp"
#include "jobs/streams.hpp"
#include "scenarios/scenario.hpp"

namespace harness {
namespace {

using panthor::CommandStreamBuilder;

void store_word(Session& session) {
  const GpuBuffer memory = session.buffer(4096);
  const auto stream = session.stream([&](CommandStreamBuilder& cs) {
    streams::store(cs, memory.va() + 0x100, 0xdeadbeef);
    streams::publish(cs);
  });
  session.run(session.group(), 0, stream, "store");
  expect_equal("stored word", memory.read32(0x100), 0xdeadbeef);
  expect_equal("its neighbour", memory.read32(0x104), 0);
}

void copy_registers(Session& session) {
  const GpuBuffer from = session.buffer(4096);
  const GpuBuffer to = session.buffer(4096);
  for (uint32_t i = 0; i < 16; ++i) from.write32(i * 4, 0xc0de0000 + i);
  const auto stream = session.stream([&](CommandStreamBuilder& cs) {
    cs.move(streams::address, from.va());
    cs.load(panthor::Reg{0}, 16, streams::address);
    cs.wait();
    cs.move(streams::address, to.va());
    cs.store(panthor::Reg{0}, 16, streams::address, 0x40);
    streams::publish(cs);
  });
  session.run(session.group(), 0, stream, "copy");
  for (uint32_t i = 0; i < 16; ++i)
    expect_equal(fmt::format("word {} of the copy", i), to.read32(0x40 + i * 4), 0xc0de0000 + i);
}

void several_queues(Session& session) {
  const unsigned queues = session.csif().cs_slot_count;
  const GpuBuffer memory = session.buffer(4096);
  const panthor::Group group = session.group_of(queues);
  const panthor::Syncobj done(session.device());
  std::vector<panthor::QueueSubmit> jobs;
  for (unsigned queue = 0; queue < queues; ++queue) {
    const auto stream = session.stream([&](CommandStreamBuilder& cs) {
      streams::store(cs, memory.va() + queue * 64, 0x1000 + queue);
      streams::publish(cs);
    });
    jobs.push_back({.queue = queue,
                    .stream_va = stream.va,
                    .stream_bytes = stream.bytes,
                    .syncs = {done.signal_op(queue + 1)}});
  }
  group.submit(jobs);
  expect(done.wait_point(queues, session.timeout()), "a queue's job did not end");
  for (unsigned queue = 0; queue < queues; ++queue)
    expect_equal(fmt::format("word of queue {}", queue), memory.read32(queue * 64), 0x1000 + queue);
}

constexpr Scenario table[] = {
    {"memory.store", "A queue stores a word and the CPU reads it after the fence", store_word},
    {"memory.copy_registers", "Sixteen registers are loaded from one buffer and stored to another",
     copy_registers},
    {"memory.several_queues", "Every queue of one group stores its word in one submit", several_queues},
};

}  // namespace

std::span<const Scenario> memory_scenarios() {
  return table;
}

}  // namespace harness
