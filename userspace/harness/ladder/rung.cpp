// SPDX-License-Identifier: MIT
#include "ladder/rung.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "jobs/check.hpp"
#include "jobs/streams.hpp"

namespace harness {
namespace {

constexpr uint64_t start_offset = 0;
constexpr uint64_t end_offset = 64;  // a cache line of its own
constexpr uint32_t start_mark = 0x57a27;
constexpr uint32_t end_mark = 0xe4d;
/// Nothing on the ladder takes this long by itself; the driver's job timeout (5 s, panthor_sched.c) does.
constexpr auto driver_timeout = std::chrono::seconds(4);
using Clock = std::chrono::steady_clock;

template <size_t size>
void copy_text(char (&to)[size], std::string_view text) {
  to[text.copy(to, size - 1)] = 0;
}

double seconds(std::chrono::nanoseconds duration) {
  return std::chrono::duration<double>(duration).count();
}

}  // namespace

panthor::CommandStream marked(Session& session, const GpuBuffer& marks,
                              const std::function<void(panthor::CommandStreamBuilder&)>& body) {
  return session.stream([&](panthor::CommandStreamBuilder& cs) {
    streams::store(cs, marks.va() + start_offset, start_mark);
    streams::publish(cs);
    body(cs);
    streams::store(cs, marks.va() + end_offset, end_mark);
    streams::publish(cs);
  });
}

Session RungContext::session() {
  step("open() and its first queries");
  auto device = panthor::Device::open(node_);
  step("VM_CREATE");
  return {std::move(device), deadline_};
}

void RungContext::step(std::string_view what) {
  board_.facts.in_fence_wait = false;
  copy_text(board_.waiting_for, what);
}

void RungContext::await(const panthor::Syncobj& done, const Job& job, std::string_view what) {
  step(what);
  facts().in_fence_wait = true;
  const auto start = Clock::now();
  const bool signalled = done.wait(deadline_);
  const auto took = Clock::now() - start;
  facts().in_fence_wait = false;
  settle({signalled, signalled || done.wait(std::chrono::nanoseconds(0)), took}, job, what);
}

void RungContext::await_point(const panthor::Syncobj& done, uint64_t point, const Job& job,
                              std::string_view what) {
  step(what);
  facts().in_fence_wait = true;
  const auto start = Clock::now();
  const bool signalled = done.wait_point(point, deadline_);
  const auto took = Clock::now() - start;
  facts().in_fence_wait = false;
  facts().point = done.query();
  settle({signalled, signalled || done.wait_point(point, std::chrono::nanoseconds(0)), took}, job, what);
}

void RungContext::settle(const Wait& wait, const Job& job, std::string_view what) {
  Facts& known = facts();
  known.wait_timed_out = !wait.signalled;
  known.signalled_late = !wait.signalled && wait.signalled_now;
  known.slow = wait.signalled && wait.took >= driver_timeout;
  if (job.dependency != nullptr)
    known.dependency_unsignalled = !job.dependency->wait(std::chrono::nanoseconds(0));
  if (job.marks != nullptr) {
    known.has_marks = true;
    known.started = job.marks->read32(start_offset) == start_mark;
    known.finished = job.marks->read32(end_offset) == end_mark;
  }
  if (job.group != nullptr) {
    const panthor::GroupState state = job.group->state();
    known.has_group = true;
    known.group_timed_out = state.timed_out;
    known.group_fatal = state.fatal_fault;
  }
  if (!wait.signalled) throw Failure(fmt::format("{}: not signalled after {:g} s", what, seconds(deadline_)));
  if (known.group_timed_out) throw Failure(fmt::format("{}: the driver gave the group up (timed out)", what));
  if (known.group_fatal) throw Failure(fmt::format("{}: the group had a fatal fault", what));
  if (known.slow)
    throw Failure(fmt::format("{}: signalled only after {:.1f} s, when the driver's job timeout looked", what,
                              seconds(wait.took)));
  if (known.has_marks && !known.finished)
    throw Failure(fmt::format("{}: signalled, but the stream {}", what,
                              known.started ? "did not reach its end" : "never ran"));
}

std::vector<Rung> all_rungs() {
  std::vector<Rung> all;
  for (const auto rungs : {object_rungs(), job_rungs(), sync_rungs(), compute_rungs(), recovery_rungs()})
    all.insert(all.end(), rungs.begin(), rungs.end());
  return all;
}

const Rung& find_rung(std::span<const Rung> rungs, std::string_view name) {
  const auto it = std::ranges::find(rungs, name, &Rung::name);
  if (it == rungs.end())
    throw std::invalid_argument(fmt::format("no rung is named \"{}\"; see --list", name));
  return *it;
}

}  // namespace harness
