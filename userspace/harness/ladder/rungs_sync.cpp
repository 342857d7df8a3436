// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include "jobs/check.hpp"
#include "jobs/streams.hpp"
#include "ladder/rung.hpp"

namespace harness {
namespace {

using panthor::CommandStreamBuilder;
using panthor::Syncobj;
using panthor::isa::Scope;
using namespace std::chrono_literals;

constexpr uint64_t gate_offset = 0x800;
constexpr auto blocked_for = 30ms;

/// One queue waits for another's SYNC_ADD.
void waiter_and_signaller(RungContext& context, Session& session, const panthor::Group& waiting,
                          unsigned waiting_queue, const panthor::Group& signalling, Scope scope) {
  const GpuBuffer marks = session.buffer(4096);
  const GpuBuffer signaller_marks = session.buffer(4096);
  const Syncobj released(session.device());
  const Syncobj signalled(session.device());
  const auto waiter = marked(session, marks, [&](CommandStreamBuilder& cs) {
    streams::wait_greater(cs, marks.va() + gate_offset, 0);
  });
  const auto signaller = marked(session, signaller_marks, [&](CommandStreamBuilder& cs) {
    streams::signal(cs, marks.va() + gate_offset, scope);
  });
  context.step("GROUP_SUBMIT of the waiter");
  session.submit(waiting, waiting_queue, waiter, released);
  expect(!released.wait(blocked_for), "the waiter ended although nothing was signalled");
  context.step("GROUP_SUBMIT of the signaller");
  session.submit(signalling, 0, signaller, signalled);
  context.await(signalled, {.group = &signalling, .marks = &signaller_marks}, "fence of the signaller");
  context.await(released, {.group = &waiting, .marks = &marks},
                "fence of the stream that waits for the signaller");
}

void cross_queue(RungContext& context) {
  Session session = context.session();
  const panthor::Group group = session.group_of(2);
  waiter_and_signaller(context, session, group, 1, group, Scope::csg);
}

void cross_group(RungContext& context) {
  Session session = context.session();
  const panthor::Group waiting = session.group();
  const panthor::Group signalling = session.group();
  waiter_and_signaller(context, session, waiting, 0, signalling, Scope::system);
}

void timeline(RungContext& context) {
  constexpr uint64_t last = 6;
  Session session = context.session();
  const panthor::Group group = session.group_of(2);
  const GpuBuffer memory = session.buffer(4096);
  const Syncobj points(session.device());
  for (uint64_t point = 2; point <= last; ++point) {
    const auto stream = session.stream([&](CommandStreamBuilder& cs) {
      streams::store(cs, memory.va() + 0x100, static_cast<uint32_t>(point));
      streams::publish(cs);
    });
    if (point == 2) points.signal_point(1);
    context.step(fmt::format("GROUP_SUBMIT for point {}", point));
    group.submit({.queue = static_cast<uint32_t>(point % 2),
                  .stream_va = stream.va,
                  .stream_bytes = stream.bytes,
                  .syncs = {points.wait_op(point - 1), points.signal_op(point)}});
  }
  context.await_point(points, last, {.group = &group}, "last point of a timeline of jobs");
  expect_equal("word of the last job", memory.read32(0x100), last);
}

void more_groups_than_slots(RungContext& context) {
  Session session = context.session();
  const unsigned count = session.csif().csg_slot_count + 4;
  std::vector<panthor::Group> groups;
  for (unsigned i = 0; i < count; ++i) groups.push_back(session.group());
  for (unsigned round = 0; round < 2; ++round) {
    std::vector<GpuBuffer> marks;
    std::vector<Syncobj> fences;
    for (unsigned i = 0; i < count; ++i) {
      marks.push_back(session.buffer(4096));
      fences.emplace_back(session.device());
      const auto stream =
          marked(session, marks[i], [&](CommandStreamBuilder& cs) { streams::spin(cs, 500); });
      context.step(fmt::format("GROUP_SUBMIT to group {} of {}", i + 1, count));
      session.submit(groups[i], 0, stream, fences[i]);
    }
    for (unsigned i = 0; i < count; ++i)
      context.await(fences[i], {.group = &groups[i], .marks = &marks[i]},
                    fmt::format("fence of group {} of {}, more than there are slots", i + 1, count));
  }
}

constexpr Rung table[] = {
    {"cross-queue", "A queue waits for another queue of its group", Stage::executing, cross_queue},
    {"cross-group", "A group waits for another group", Stage::completion, cross_group},
    {"timeline", "Jobs chained by the points of a timeline signal the last one", Stage::dependency, timeline},
    {"rotation", "More groups than slots all get their turn, twice", Stage::no_slot, more_groups_than_slots,
     10},
};

}  // namespace

std::span<const Rung> sync_rungs() {
  return table;
}

}  // namespace harness
