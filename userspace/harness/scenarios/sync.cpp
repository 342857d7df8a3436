// SPDX-License-Identifier: MIT
#include "jobs/check.hpp"
#include "jobs/streams.hpp"
#include "scenarios/scenario.hpp"

namespace harness {
namespace {

using panthor::CommandStreamBuilder;
using panthor::isa::Scope;
using namespace std::chrono_literals;

constexpr uint64_t sync_offset = 0x200;
constexpr uint64_t word_offset = 0x300;

/// Long enough for a job that does not wait to end, short enough for a smoke run.
constexpr auto blocked_for = 30ms;

/// Starts a waiter, shows that it waits, lets the signaller release it, checks both fences and the word.
void waiter_and_signaller(Session& session, const panthor::Group& waiting, unsigned waiting_queue,
                          const panthor::Group& signalling, unsigned signalling_queue, Scope scope) {
  const GpuBuffer memory = session.buffer(4096);
  const auto waiter = session.stream([&](CommandStreamBuilder& cs) {
    streams::wait_greater(cs, memory.va() + sync_offset, 0);
    streams::store(cs, memory.va() + word_offset, 0x1234);
    streams::publish(cs);
  });
  const auto signaller = session.stream(
      [&](CommandStreamBuilder& cs) { streams::signal(cs, memory.va() + sync_offset, scope); });

  const panthor::Syncobj waited(session.device());
  session.submit(waiting, waiting_queue, waiter, waited);
  expect(!waited.wait(blocked_for), "the waiter ended although nothing was signalled");
  expect_equal("word of the blocked waiter", memory.read32(word_offset), 0);

  session.run(signalling, signalling_queue, signaller, "signaller");
  session.finish(waited, waiting, "waiter");
  expect_equal("word of the released waiter", memory.read32(word_offset), 0x1234);
}

void cross_queue(Session& session) {
  const panthor::Group group = session.group_of(2);
  waiter_and_signaller(session, group, 1, group, 0, Scope::csg);
}

void cross_group(Session& session) {
  const panthor::Group waiting = session.group();
  const panthor::Group signalling = session.group();
  waiter_and_signaller(session, waiting, 0, signalling, 0, Scope::system);
}

void ping_pong(Session& session) {
  constexpr uint32_t rounds = 50;
  constexpr uint64_t ping = 0x200;
  constexpr uint64_t pong = 0x240;
  const GpuBuffer memory = session.buffer(4096);
  const panthor::Group group = session.group_of(2);
  const auto first = session.stream([&](CommandStreamBuilder& cs) {
    for (uint32_t i = 0; i < rounds; ++i) {
      streams::signal(cs, memory.va() + ping, Scope::csg);
      streams::wait_greater(cs, memory.va() + pong, i);
    }
    streams::publish(cs);
  });
  const auto second = session.stream([&](CommandStreamBuilder& cs) {
    for (uint32_t i = 0; i < rounds; ++i) {
      streams::wait_greater(cs, memory.va() + ping, i);
      streams::signal(cs, memory.va() + pong, Scope::csg);
    }
    streams::publish(cs);
  });
  const panthor::Syncobj done(session.device());
  const panthor::QueueSubmit jobs[] = {
      {.queue = 0, .stream_va = first.va, .stream_bytes = first.bytes, .syncs = {done.signal_op(1)}},
      {.queue = 1, .stream_va = second.va, .stream_bytes = second.bytes, .syncs = {done.signal_op(2)}},
  };
  group.submit(jobs);
  expect(done.wait_point(2, session.timeout()), "the two queues did not end their rounds");
  expect_equal("pings", memory.read32(ping), rounds);
  expect_equal("pongs", memory.read32(pong), rounds);
}

constexpr Scenario table[] = {
    {"sync.cross_queue", "SYNC_WAIT32 of one queue is released by SYNC_ADD32 of another", cross_queue},
    {"sync.cross_group", "SYNC_WAIT32 of one group is released by SYNC_ADD32 of another", cross_group},
    {"sync.ping_pong", "Two queues hand a token back and forth", ping_pong},
};

}  // namespace

std::span<const Scenario> sync_scenarios() {
  return table;
}

}  // namespace harness
