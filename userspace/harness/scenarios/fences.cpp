// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include "jobs/check.hpp"
#include "jobs/streams.hpp"
#include "scenarios/scenario.hpp"

namespace harness {
namespace {

using panthor::BindOp;
using panthor::CommandStreamBuilder;
using panthor::Syncobj;
using namespace std::chrono_literals;

constexpr uint64_t gate_offset = 0x800;
constexpr auto blocked_for = 30ms;

panthor::CommandStream store_stream(Session& session, uint64_t va, uint32_t value) {
  return session.stream([&](CommandStreamBuilder& cs) {
    streams::store(cs, va, value);
    streams::publish(cs);
  });
}

/// A job that ends when open_gate() has run, so that there is an unsignalled fence to depend on.
panthor::CommandStream gate_stream(Session& session, const GpuBuffer& memory) {
  return session.stream(
      [&](CommandStreamBuilder& cs) { streams::wait_greater(cs, memory.va() + gate_offset, 0); });
}

void open_gate(Session& session, const GpuBuffer& memory) {
  const auto opener =
      session.stream([&](CommandStreamBuilder& cs) { streams::signal(cs, memory.va() + gate_offset); });
  session.run(session.group(), 0, opener, "job that opens the gate");
}

void timeline(Session& session) {
  constexpr uint64_t last = 8;
  const GpuBuffer memory = session.buffer(4096);
  const panthor::Group group = session.group_of(3);
  const Syncobj chain(session.device());
  const auto gate = gate_stream(session, memory);
  group.submit({.queue = 2, .stream_va = gate.va, .stream_bytes = gate.bytes, .syncs = {chain.signal_op(1)}});
  // Each job waits for the point of the one before it, on the other queue; the last to store is the last
  // point's.
  for (uint64_t point = 2; point <= last; ++point) {
    const auto stream = store_stream(session, memory.va(), static_cast<uint32_t>(point));
    group.submit({.queue = static_cast<uint32_t>(point % 2),
                  .stream_va = stream.va,
                  .stream_bytes = stream.bytes,
                  .syncs = {chain.wait_op(point - 1), chain.signal_op(point)}});
  }
  expect(!chain.wait_point(2, blocked_for), "point 2 signalled before point 1");
  expect_equal("timeline before the gate opens", chain.query(), 0);
  open_gate(session, memory);
  expect(chain.wait_point(last, session.timeout()), "the last point did not signal");
  expect_equal("timeline after the last job", chain.query(), last);
  expect_equal("word of the last job", memory.read32(0), last);
}

void cpu_signalled(Session& session) {
  const GpuBuffer memory = session.buffer(4096);
  const panthor::Group group = session.group();
  const Syncobj points(session.device());
  const Syncobj done(session.device());
  points.signal_point(5);
  session.submit(group, 0, store_stream(session, memory.va(), 0x55), done, {points.wait_op(5)});
  session.finish(done, group, "job behind a point the CPU signalled");
  expect_equal("stored word", memory.read32(0), 0x55);
}

void empty_submit(Session& session) {
  const GpuBuffer memory = session.buffer(4096);
  const panthor::Group group = session.group_of(2);
  const Syncobj gate_done(session.device());
  const Syncobj done(session.device());
  session.submit(group, 0, gate_stream(session, memory), gate_done);
  session.submit(group, 1, {}, done, {gate_done.wait_op()});
  expect(!done.wait(blocked_for), "an empty submit did not wait for its dependency");
  open_gate(session, memory);
  session.finish(done, group, "empty submit");
}

void async_bind(Session& session) {
  constexpr uint32_t magic = 0xb1d;
  const uint64_t va = session.address_space(4096);
  const GpuBuffer memory = session.buffer(4096);
  const panthor::BufferObject late(session.device(), 4096);
  const panthor::Mapping view = late.map();
  const panthor::Group group = session.group_of(2);
  const Syncobj order(session.device());
  const auto gate = gate_stream(session, memory);
  // gate (1) -> bind (2) -> store through the new mapping (3) -> unbind (4)
  group.submit({.queue = 1, .stream_va = gate.va, .stream_bytes = gate.bytes, .syncs = {order.signal_op(1)}});
  session.vm().bind_async(
      BindOp::map(late, va, panthor::BindFlags::noexec, {order.wait_op(1), order.signal_op(2)}));
  const auto stream = store_stream(session, va, magic);
  group.submit({.queue = 0,
                .stream_va = stream.va,
                .stream_bytes = stream.bytes,
                .syncs = {order.wait_op(2), order.signal_op(3)}});
  session.vm().bind_async(BindOp::unmap(va, late.size(), {order.wait_op(3), order.signal_op(4)}));
  expect(!order.wait_point(2, blocked_for), "the bind did not wait for the job in front of it");
  open_gate(session, memory);
  expect(order.wait_point(4, session.timeout()), "the chain of job, bind, job and unbind did not end");
  expect_equal("word in the buffer bound late", *static_cast<volatile uint32_t*>(view.as<uint32_t>().data()),
               magic);
  expect(session.vm().state() == panthor::VmState::usable, "the VM became unusable");
  expect(group.state().usable(), "the group became unusable");
}

constexpr Scenario table[] = {
    {"fence.timeline", "Jobs chained by points of a timeline run in order", timeline},
    {"fence.cpu_signalled", "A job waits for a point that the CPU signalled", cpu_signalled},
    {"fence.empty_submit", "An empty submit signals after what it waits for", empty_submit},
    {"fence.async_bind", "Job, asynchronous bind, job and unbind follow each other by fences alone",
     async_bind},
};

}  // namespace

std::span<const Scenario> fence_scenarios() {
  return table;
}

}  // namespace harness
