// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <unistd.h>

#include <thread>

#include "board/gpu_power.hpp"
#include "board/gpu_users.hpp"
#include "jobs/check.hpp"
#include "jobs/streams.hpp"
#include "ladder/rung.hpp"

namespace harness {
namespace {

using panthor::CommandStreamBuilder;
using panthor::Syncobj;
using namespace std::chrono_literals;

constexpr uint64_t word_offset = 0x400;
constexpr uint32_t word = 0xc0ffee;

void empty_submit(RungContext& context) {
  Session session = context.session();
  const panthor::Group group = session.group();
  const Syncobj done(session.device());
  context.step("GROUP_SUBMIT without a stream");
  session.submit(group, 0, {}, done);
  context.await(done, {.group = &group}, "fence of the empty submit");
}

void nops(RungContext& context) {
  Session session = context.session();
  const panthor::Group group = session.group();
  const Syncobj done(session.device());
  const auto stream = session.stream([](CommandStreamBuilder& cs) {
    for (int i = 0; i < 8; ++i) cs.nop();
  });
  context.step("GROUP_SUBMIT of a stream of NOPs");
  session.submit(group, 0, stream, done);
  context.await(done, {.group = &group}, "fence of the stream of NOPs");
}

/// Submits a store to `va` and waits for it.
void store(RungContext& context, Session& session, const panthor::Group& group, const GpuBuffer& marks,
           uint64_t va, uint32_t value, std::string_view what) {
  const Syncobj done(session.device());
  const auto stream =
      marked(session, marks, [&](CommandStreamBuilder& cs) { streams::store(cs, va, value); });
  context.step("GROUP_SUBMIT of a store");
  session.submit(group, 0, stream, done);
  context.await(done, {.group = &group, .marks = &marks}, what);
}

void memory_write(RungContext& context) {
  Session session = context.session();
  const panthor::Group group = session.group();
  const GpuBuffer memory = session.buffer(4096);
  store(context, session, group, memory, memory.va() + word_offset, word,
        "fence of the job that stores a word");
  expect_equal("stored word", memory.read32(word_offset), word);
}

void second_job(RungContext& context) {
  Session session = context.session();
  const panthor::Group group = session.group();
  const GpuBuffer first = session.buffer(4096);
  const GpuBuffer second = session.buffer(4096);
  store(context, session, group, first, first.va() + word_offset, word, "fence of the first job");
  std::this_thread::sleep_for(20ms);  // the group goes idle; its slot stays
  store(context, session, group, second, second.va() + word_offset, word + 1,
        "fence of a second job of a group that went idle");
  expect_equal("second word", second.read32(word_offset), word + 1);
}

void suspend(RungContext& context) {
  const BoardTree board;
  const GpuPower power(board);
  if (!power.may_suspend()) throw RungSkipped("runtime suspend is not allowed");
  context.step("a look at who else uses the GPU");
  const auto users = gpu_users(board, ::getpid());
  if (!users) throw RungSkipped("not root: somebody else may keep the GPU busy");
  // The ladder itself holds no node open.
  if (!users->empty()) throw RungSkipped(fmt::format("process {} has the GPU open too", users->front()));

  Session session = context.session();
  const panthor::Group group = session.group();
  const GpuBuffer memory = session.buffer(4096);
  store(context, session, group, memory, memory.va() + word_offset, word,
        "fence of the job before the GPU is idle");
  context.step("the GPU to suspend although a group without work is open");
  expect(power.wait_suspended(std::min<std::chrono::nanoseconds>(context.deadline(), 5s)),
         "the GPU is idle, but does not suspend");
}

void resume(RungContext& context) {
  Session session = context.session();
  const panthor::Group group = session.group();
  for (unsigned round = 0; round < 3; ++round) {
    const GpuBuffer memory = session.buffer(4096);
    context.step("the GPU to be idle long enough for its runtime suspend");
    std::this_thread::sleep_for(300ms);  // autosuspend_delay_ms is 50 (panthor_device.c)
    store(context, session, group, memory, memory.va() + word_offset, word + round,
          "fence of a job after a runtime resume");
    expect_equal("word stored after the resume", memory.read32(word_offset), word + round);
  }
}

/// A loop that reads `va` until another queue stores something there: its VM stays on the GPU meanwhile.
panthor::CommandStream busy_until(Session& session, uint64_t va) {
  return session.stream([&](CommandStreamBuilder& cs) {
    cs.move(streams::address, va);
    const auto again = cs.here();
    cs.load(streams::data, 1, streams::address);
    cs.wait();
    cs.branch(panthor::isa::Condition::equal, streams::data, again);
  });
}

void rebind(RungContext& context) {
  Session session = context.session();
  const panthor::Group group = session.group_of(2);
  const GpuBuffer memory = session.buffer(4096);
  // In the midst of a larger mapping: a TLB entry that shares its index with a ring or a stream does not live
  // long.
  constexpr uint64_t bytes = 256 << 10;
  constexpr uint64_t target = 160 << 10;
  const panthor::BufferObject bos[] = {{session.device(), bytes}, {session.device(), bytes}};
  const uint64_t va = session.address_space(bytes);
  const GpuBuffer gate = session.buffer(4096);
  const Syncobj ended(session.device());
  session.submit(group, 1, busy_until(session, gate.va()), ended);
  for (const panthor::BufferObject& bo : bos) {
    context.step("VM_BIND map");
    session.vm().map(bo, va, panthor::BindFlags::noexec);
    store(context, session, group, memory, va + target, word, "fence of a job that stores to a new mapping");
    const panthor::Mapping view = bo.map();
    expect_equal("word behind the mapping (elsewhere: a stale TLB entry)",
                 *static_cast<volatile uint32_t*>(&view.as<uint32_t>()[target / sizeof(uint32_t)]), word);
    context.step("VM_BIND unmap");
    session.vm().unmap(va, bytes);
  }
  store(context, session, group, memory, gate.va(), 1, "fence of the job that ends the other queue's loop");
  context.await(ended, {.group = &group}, "fence of the loop of the other queue");
}

constexpr Rung table[] = {
    {"empty-submit", "A submit without a stream signals", Stage::dependency, empty_submit},
    {"nop-stream", "A stream of NOPs signals", Stage::queued, nops},
    {"memory-write", "A stream stores a word, the CPU reads it after the fence", Stage::queued, memory_write},
    {"second-job", "A group that went idle takes another job", Stage::not_fetched, second_job},
    {"rebind", "A job uses the buffer that is bound now, not the one before it", Stage::executing, rebind},
    {"suspend", "An idle GPU suspends (needs root and no other user of the GPU)", Stage::no_slot, suspend},
    {"resume", "The GPU suspends when it is idle and a job resumes it", Stage::refused, resume, 15},
};

}  // namespace

std::span<const Rung> job_rungs() {
  return table;
}

}  // namespace harness
