// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <unistd.h>

#include "jobs/check.hpp"
#include "jobs/streams.hpp"
#include "ladder/endless.hpp"
#include "load/worker.hpp"
#include "stress/part.hpp"
#include "stress/plan.hpp"

namespace harness {
namespace {

using panthor::BindFlags;
using panthor::BindOp;
using panthor::CommandStreamBuilder;
using panthor::GroupPriority;
using panthor::Syncobj;
using namespace std::chrono_literals;

constexpr uint64_t word_offset = 0x400;
/// The longest rest between two jobs of a worker. A kill comes about each millisecond.
constexpr std::chrono::microseconds longest_pause = 24ms;

[[noreturn]] void wait_for_death() {
  for (;;) ::pause();
}

void load(PartContext& context) {
  LoadOptions options;
  options.node = context.rung().node();
  options.groups = context.plan().groups;
  options.timeout = context.rung().deadline();
  options.seed = context.plan().seed;
  options.pause = longest_pause;
  options.watch = [&context](bool in_flight) {
    if (!in_flight) return context.waited();
    context.step("GROUP_SUBMIT, or the fence of the round before");
    context.submitted();
  };
  context.step("the groups and streams of a load");
  throw Failure(run_load(options).error);
}

/// Submits a store to word `offset` of `va`, waits, and checks nothing but the fence and the marks.
void store(PartContext& context, Session& session, const panthor::Group& group, const GpuBuffer& marks,
           uint64_t va, uint32_t value) {
  const Syncobj done(session.device());
  const auto stream =
      marked(session, marks, [&](CommandStreamBuilder& cs) { streams::store(cs, va, value); });
  context.step("GROUP_SUBMIT of a store");
  session.submit(group, 0, stream, done);
  context.submitted();
  context.step("fence of a store");
  context.rung().await(done, {.group = &group, .marks = &marks}, "fence of a store");
  context.waited();
}

void storing(PartContext& context) {
  for (uint32_t round = 1;; ++round) {
    Session session = context.session();
    context.step("GROUP_CREATE");
    panthor::Group group = session.group_of(1 + context.below(4), context.priority(session.device()));
    for (uint32_t job = 0; job < 8; ++job) {
      const GpuBuffer memory = session.buffer(4096);
      store(context, session, group, memory, memory.va() + word_offset, round << 8 | job);
      expect_equal("stored word", memory.read32(word_offset), round << 8 | job);
      context.pause(longest_pause);
    }
    context.step("GROUP_DESTROY");
    group.destroy();
  }
}

/// Jobs that never end are of medium or low priority, where groups take turns: a higher one would starve
/// others.
template <EndlessJob::Kind kind>
void endless(PartContext& context) {
  Session session = context.session();
  context.step("GROUP_CREATE");
  const panthor::Group group =
      session.group_of(2, context.below(2) == 0 ? GroupPriority::low : GroupPriority::medium);
  context.step("GROUP_SUBMIT of an endless job");
  const EndlessJob job(session, group, kind, context.below(2));
  context.submitted();
  context.step("SIGKILL");
  wait_for_death();
}

void waiting(PartContext& context) {
  Session session = context.session();
  const panthor::Group first = session.group();
  const panthor::Group second = session.group();
  context.step("GROUP_SUBMIT of a blocked job");
  const EndlessJob job(session, first, EndlessJob::Kind::blocked);
  context.submitted();
  const GpuBuffer memory = session.buffer(4096);
  const Syncobj done(session.device());
  const auto stream = session.stream([&](CommandStreamBuilder& cs) {
    streams::store(cs, memory.va(), 1);
    streams::publish(cs);
  });
  context.step("GROUP_SUBMIT of a job that waits for it");
  session.submit(second, 0, stream, done, {job.done().wait_op()});
  const uint64_t bytes = 4096ull << context.below(6);
  const panthor::BufferObject bo(session.device(), bytes);
  context.step("VM_BIND of a map that waits for both");
  session.vm().bind_async(BindOp::map(bo, session.address_space(bytes), BindFlags::noexec, {done.wait_op()}));
  context.step("SIGKILL");
  wait_for_death();
}

/// One session's worth of binds; a session never takes back the memory of its streams.
void bind_for_a_while(PartContext& context, uint32_t& round) {
  Session session = context.session();
  const panthor::Group group = session.group();
  const uint64_t window = session.address_space(16 << 20, 2 << 20);
  for (unsigned i = 0; i < 64; ++i, ++round) {
    const uint64_t bytes = 4096ull << context.below(10);  // to 2 MiB
    const uint64_t va = window + bytes * context.below(4);
    const panthor::BufferObject bo(session.device(), bytes);
    const Syncobj mapped(session.device());
    const Syncobj stored(session.device());
    const Syncobj unmapped(session.device());
    context.step("VM_BIND of an asynchronous map");
    session.vm().bind_async(BindOp::map(bo, va, BindFlags::noexec, {mapped.signal_op()}));
    const auto stream = session.stream([&](CommandStreamBuilder& cs) {
      streams::store(cs, va, round);
      streams::publish(cs);
    });
    context.step("GROUP_SUBMIT of a job that waits for the map");
    session.submit(group, 0, stream, stored, {mapped.wait_op()});
    context.submitted();
    context.step("VM_BIND of an asynchronous unmap");
    session.vm().bind_async(BindOp::unmap(va, bytes, {stored.wait_op(), unmapped.signal_op()}));
    context.step("fence of the unmap behind a job behind a map");
    context.rung().await(unmapped, {.group = &group, .dependency = &stored},
                         "fence of the unmap behind a job behind a map");
    context.waited();
    const panthor::Mapping view = bo.map();
    expect_equal("word behind the mapping", *static_cast<volatile uint32_t*>(view.as<uint32_t>().data()),
                 round);
    context.pause(longest_pause);
  }
}

void binding(PartContext& context) {
  for (uint32_t round = 1;;) bind_for_a_while(context, round);
}

void creating(PartContext& context) {
  for (;;) {
    Session session = context.session();
    std::vector<panthor::Group> groups;
    for (unsigned i = 0; i < context.plan().groups; ++i) {
      context.step("GROUP_CREATE");
      groups.push_back(session.group_of(1 + context.below(8), context.priority(session.device())));
    }
    context.step("TILER_HEAP_CREATE");
    panthor::TilerHeap heap(session.device(), session.vm(),
                            {.initial_chunk_count = 1, .chunk_bytes = 256 << 10});
    const GpuBuffer buffer = session.buffer(4096ull << context.below(8));
    context.pause(longest_pause);
    context.step("TILER_HEAP_DESTROY");
    heap.destroy();
    context.step("GROUP_DESTROY");
    groups[context.below(static_cast<uint32_t>(groups.size()))].destroy();
  }
}

void faulting(PartContext& context) {
  for (;;) {
    Session session = context.session();
    const panthor::Group group = session.group_of(1, context.priority(session.device()));
    const uint64_t nowhere = session.address_space(4096);
    const Syncobj done(session.device());
    const auto stream = session.stream([&](CommandStreamBuilder& cs) {
      streams::store(cs, nowhere, 1);
      streams::publish(cs);
    });
    context.step("GROUP_SUBMIT of a store to an address without memory");
    session.submit(group, 0, stream, done);
    context.submitted();
    context.step("fence of a job that faulted");
    const bool signalled = done.wait(context.rung().deadline());
    context.rung().facts().wait_timed_out = !signalled;
    expect(signalled, "the job that faulted does not end");
    expect(!group.state().usable(), "a page fault left its group usable");
    context.waited();
    context.pause(longest_pause);
  }
}

void churn_for_a_while(PartContext& context, uint32_t& round) {
  Session session = context.session();
  const panthor::Group group = session.group();
  const GpuBuffer marks = session.buffer(4096);
  constexpr size_t most = 12;
  struct Bound {
    panthor::BufferObject bo;
    uint64_t va;
  };
  std::vector<Bound> bound;
  for (unsigned i = 0; i < 64; ++i, ++round) {
    const uint64_t bytes = 4096ull << context.below(11);  // to 4 MiB
    context.step("BO_CREATE");
    bound.push_back({{session.device(), bytes}, session.address_space(bytes)});
    context.step("VM_BIND map");
    session.vm().map(bound.back().bo, bound.back().va, BindFlags::noexec);
    store(context, session, group, marks, bound.back().va + bytes - 64, round);
    {
      const panthor::Mapping view = bound.back().bo.map();
      const auto words = view.as<uint32_t>();
      expect_equal("word at the end of a new buffer",
                   *static_cast<volatile uint32_t*>(&words[words.size() - 16]), round);
    }
    if (bound.size() == most) {
      const size_t victim = context.below(most);
      context.step("VM_BIND unmap");
      session.vm().unmap(bound[victim].va, bound[victim].bo.size());
      std::swap(bound[victim], bound.back());
      bound.pop_back();
    }
    context.pause(longest_pause);
  }
}

void churning(PartContext& context) {
  for (uint32_t round = 1;;) churn_for_a_while(context, round);
}

using Kind = EndlessJob::Kind;
// clang-format off
constexpr Part table[] = {
    {"load",      "many groups of all priorities, every result checked",      load, 4},
    {"storing",   "sessions come and go, each stores words",                  storing, 2},
    {"blocked",   "a job in a SYNC_WAIT nobody satisfies",                    endless<Kind::blocked>, 4, true},
    {"looping",   "a job in an endless loop",                                 endless<Kind::looping>, 4, true},
    {"computing", "a job in a RUN_COMPUTE of 2^32 workgroups",                endless<Kind::computing>, 4, true},
    {"waiting",   "a job and a map that wait for a job that does not end",    waiting, 2, true},
    {"binding",   "asynchronous maps and unmaps around jobs",                 binding, 2},
    {"creating",  "VMs, groups and tiler heaps come and go",                  creating, 2, false, false, false},
    {"faulting",  "jobs that touch an address without memory",                faulting, 1},
    {"churning",  "buffers of up to 4 MiB come and go, each is written",      churning, 4, false, true},
};
// clang-format on

}  // namespace

std::span<const Part> all_parts() {
  return table;
}

}  // namespace harness
