// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <thread>

#include "jobs/check.hpp"
#include "jobs/shared.hpp"
#include "jobs/streams.hpp"
#include "ladder/endless.hpp"
#include "ladder/rung.hpp"
#include "ladder/rung_process.hpp"

namespace harness {
namespace {

using panthor::CommandStreamBuilder;
using panthor::Syncobj;
using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

constexpr uint64_t word_offset = 0x400;

/// A job that works: the word it stores is checked.
void compute_word(RungContext& context, Session& session, const panthor::Group& group, uint32_t word,
                  std::string_view what) {
  const GpuBuffer marks = session.buffer(4096);
  const Syncobj done(session.device());
  const auto stream = marked(
      session, marks, [&](CommandStreamBuilder& cs) { streams::store(cs, marks.va() + word_offset, word); });
  context.step("GROUP_SUBMIT of a store");
  session.submit(group, 0, stream, done);
  context.await(done, {.group = &group, .marks = &marks}, what);
  expect_equal("stored word", marks.read32(word_offset), word);
}

void page_fault(RungContext& context) {
  Session session = context.session();
  const panthor::Group group = session.group();
  const uint64_t nowhere = session.address_space(4096);
  const Syncobj done(session.device());
  const auto stream = session.stream([&](CommandStreamBuilder& cs) {
    streams::store(cs, nowhere, 1);
    streams::publish(cs);
  });
  context.step("GROUP_SUBMIT of a store to an address without memory");
  session.submit(group, 0, stream, done);
  context.step("the driver to end the job that faulted");
  context.facts().in_fence_wait = true;
  const auto start = Clock::now();
  const bool signalled = done.wait(context.deadline());
  context.facts().in_fence_wait = false;
  context.facts().wait_timed_out = !signalled;
  expect(signalled, "the job that faulted does not end");
  expect(!group.state().usable(), "a page fault left its group usable");
  // A fault is an interrupt; the job timeout (5 s in panthor_sched.c) is what is left when it was lost.
  expect(Clock::now() - start < 4s, "the page fault was not seen, only the job timeout ended its job");

  Session fresh = context.session();
  compute_word(context, fresh, fresh.group(), 0xfa017, "fence of a job of another VM after the page fault");
}

void firmware_ping(RungContext& context) {
  // The driver pings the firmware every 12 s while the GPU is up (PING_INTERVAL_MS, panthor_fw.c).
  Session session = context.session();
  const panthor::Group group = session.group();
  const auto end = Clock::now() + 13s;
  for (uint32_t round = 1; Clock::now() < end; ++round) {
    compute_word(context, session, group, round, "fence of a job while the driver pings the firmware");
    std::this_thread::sleep_for(20ms);  // below the autosuspend delay
  }
}

/// What the victim of a kill shares with the rung.
struct Victim {
  volatile bool submitted = false;
};

/// Submits a job without an end and says so.
[[noreturn]] void be_the_victim(RungContext& context, Victim& shared, EndlessJob::Kind kind) {
  try {
    Session session(panthor::Device::open(context.node()), context.deadline());
    const panthor::Group group = session.group();
    const EndlessJob job(session, group, kind);
    while (!job.started()) std::this_thread::sleep_for(1ms);
    shared.submitted = true;
    for (;;) ::pause();
  } catch (const std::exception&) {
    ::_exit(1);
  }
}

void kill_mid_job(RungContext& context, EndlessJob::Kind kind) {
  const Shared<Victim> shared;
  context.step("a process with an endless job");
  const pid_t victim = ::fork();
  if (victim == 0) be_the_victim(context, shared.get(), kind);
  expect(victim > 0, "fork() failed");
  const auto end = Clock::now() + context.deadline();
  bool gone = false;
  while (!shared->submitted && !gone && Clock::now() < end) {
    gone = reap(victim, 0ns);
    std::this_thread::sleep_for(1ms);
  }
  if (!shared->submitted && !gone) ::kill(victim, SIGKILL);
  expect(shared->submitted, "the endless job did not start");
  std::this_thread::sleep_for(50ms);

  context.step("the process with the endless job to die of SIGKILL");
  ::kill(victim, SIGKILL);
  if (!reap(victim, context.deadline())) {
    const ProcessSnapshot stuck = snapshot_process(victim);
    throw Failure(fmt::format("process {} does not die of SIGKILL: state {}, in {}, syscall {}", victim,
                              stuck.state, stuck.wchan, stuck.syscall));
  }
  for (unsigned round = 0; round < 3; ++round) {
    Session fresh = context.session();
    compute_word(context, fresh, fresh.group(), 0xdead + round,
                 "fence of a fresh file's job after another process was killed mid-job");
  }
}

void kill_blocked(RungContext& context) {
  kill_mid_job(context, EndlessJob::Kind::blocked);
}

void kill_looping(RungContext& context) {
  kill_mid_job(context, EndlessJob::Kind::looping);
}

void kill_computing(RungContext& context) {
  kill_mid_job(context, EndlessJob::Kind::computing);
}

constexpr Rung table[] = {
    {"page-fault", "A page fault ends its job at once and no other", Stage::executing, page_fault},
    {"ping", "The firmware answers the driver's pings while jobs run (13 s)", Stage::executing, firmware_ping,
     20, "FW ping timeout"},
    {"kill-blocked", "kill -9 of a process whose job waits; a fresh file computes", Stage::no_slot,
     kill_blocked, 30},
    {"kill-looping", "kill -9 of a process whose job loops; a fresh file computes", Stage::no_slot,
     kill_looping, 30},
    {"kill-computing", "kill -9 of a process in the midst of RUN_COMPUTE; a fresh file computes",
     Stage::no_slot, kill_computing, 30},
};

}  // namespace

std::span<const Rung> recovery_rungs() {
  return table;
}

}  // namespace harness
