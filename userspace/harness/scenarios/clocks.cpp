// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include "jobs/check.hpp"
#include "jobs/streams.hpp"
#include "scenarios/scenario.hpp"

namespace harness {
namespace {

using panthor::CommandStreamBuilder;
using panthor::isa::State;

void timestamps(Session& session) {
  constexpr unsigned samples = 4;
  const GpuBuffer memory = session.buffer(4096);
  const auto stream = session.stream([&](CommandStreamBuilder& cs) {
    cs.move(streams::address, memory.va());
    for (unsigned i = 0; i < samples; ++i) {
      cs.store_state(State::timestamp, streams::address, static_cast<int16_t>(i * 8));
      cs.store_state(State::cycle_count, streams::address, static_cast<int16_t>(0x100 + i * 8));
      streams::spin(cs, 2000);
    }
    streams::publish(cs);
  });
  const uint64_t before = session.device().timestamp_info().timestamp;
  session.run(session.group(), 0, stream, "timestamps");
  const uint64_t after = session.device().timestamp_info().timestamp;
  expect(memory.read64(0) >= before, "the GPU's timestamp is before the one queried in front of the job");
  for (unsigned i = 1; i < samples; ++i) {
    expect(memory.read64(i * 8) >= memory.read64(i * 8 - 8), fmt::format("timestamp {} went back", i));
    expect(memory.read64(0x100 + i * 8) >= memory.read64(0x100 + i * 8 - 8),
           fmt::format("cycle count {} went back", i));
  }
  expect(after >= memory.read64(samples * 8 - 8), "the timestamp queried after the job is before the job's");
}

void flush_id(Session& session) {
  const panthor::FlushIdPage page(session.device());
  const GpuBuffer memory = session.buffer(4096);
  const panthor::Group group = session.group();
  const panthor::Syncobj done(session.device());
  const auto stream = session.stream([&](CommandStreamBuilder& cs) {
    streams::store(cs, memory.va(), 0xf1);
    streams::publish(cs);
  });
  const uint32_t id = page.current();
  group.submit({.queue = 0,
                .stream_va = stream.va,
                .stream_bytes = stream.bytes,
                .latest_flush = id,
                .syncs = {done.signal_op()}});
  session.finish(done, group, fmt::format("job with flush id {}", id));
  expect_equal("stored word", memory.read32(0), 0xf1);
  expect(page.current() != 0, "the flush id reads 0 after a job");
}

constexpr Scenario table[] = {
    {"clock.timestamp", "STORE_STATE timestamps and cycle counts never go back", timestamps},
    {"clock.flush_id", "The flush-id page is readable and its value good for a submit", flush_id},
};

}  // namespace

std::span<const Scenario> clock_scenarios() {
  return table;
}

}  // namespace harness
