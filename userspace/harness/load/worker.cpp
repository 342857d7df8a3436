// SPDX-License-Identifier: MIT
#include "load/worker.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <random>
#include <thread>

#include "jobs/check.hpp"
#include "jobs/priorities.hpp"
#include "jobs/session.hpp"
#include "jobs/streams.hpp"

namespace harness {
namespace {

using Clock = std::chrono::steady_clock;
using panthor::CommandStreamBuilder;

constexpr uint64_t queue_stride = 64;
constexpr uint64_t round_offset = 0x400;  // read by the streams: the number of the round
constexpr uint64_t sync_offset = 0x440;   // queue 0 adds 1 each round
constexpr panthor::Reg round_register{0};
constexpr panthor::Reg result_register{2};

/// One group, its memory and its streams, which are built once: the round number comes from memory.
class LoadGroup {
 public:
  LoadGroup(Session& session, unsigned queues, panthor::GroupPriority priority, uint32_t salt)
      : session_(session),
        memory_(session.buffer(4096)),
        group_(session.group_of(queues, priority)),
        done_(session.device()),
        queues_(queues),
        salt_(static_cast<int32_t>(salt & 0xffff)) {
    for (unsigned queue = 0; queue < queues; ++queue) streams_.push_back(build(queue));
  }

  void submit(uint32_t round) {
    memory_.write32(round_offset, round);
    std::vector<panthor::QueueSubmit> jobs;
    for (unsigned queue = 0; queue < queues_; ++queue)
      jobs.push_back({.queue = queue,
                      .stream_va = streams_[queue].va,
                      .stream_bytes = streams_[queue].bytes,
                      .syncs = {done_.signal_op(++point_)}});
    started_ = Clock::now();
    group_.submit(jobs);
  }

  /// Waits for the round and checks it; returns how long it took.
  Clock::duration check(uint32_t round) {
    if (!done_.wait_point(point_, session_.timeout())) {
      const auto state = group_.state();
      throw Failure(fmt::format("round {}: fence not signalled, timed_out={} fatal_queues={:#x}", round,
                                state.timed_out, state.fatal_queues));
    }
    for (unsigned queue = 0; queue < queues_; ++queue)
      expect_equal(fmt::format("round {}: word of queue {}", round, queue),
                   memory_.read32(queue * queue_stride), expected(queue, round));
    return Clock::now() - started_;
  }

 private:
  static constexpr int32_t loops = 64;

  [[nodiscard]] uint32_t expected(unsigned queue, uint32_t round) const {
    return round + static_cast<uint32_t>(salt_) + static_cast<uint32_t>(loops) * (queue + 1);
  }

  panthor::CommandStream build(unsigned queue) {
    return session_.stream([&](CommandStreamBuilder& cs) {
      cs.move(streams::address, memory_.va() + round_offset);
      cs.load(round_register, 1, streams::address);
      cs.wait();
      if (queue != 0) {  // not before queue 0 of this round: its counter is the number of the round
        cs.add(panthor::Reg{1}, round_register, -1);
        cs.move(streams::address, memory_.va() + sync_offset);
        cs.sync_wait32(panthor::isa::Condition::greater, streams::address, panthor::Reg{1});
      }
      cs.add(result_register, round_register, salt_);
      const auto loop = cs.begin_loop(streams::counter, loops);
      cs.add(result_register, result_register, static_cast<int32_t>(queue + 1));
      cs.end_loop(loop);
      streams::store(cs, memory_.va() + queue * queue_stride, result_register);
      if (queue == 0) streams::signal(cs, memory_.va() + sync_offset, panthor::isa::Scope::csg);
      streams::publish(cs);
    });
  }

  Session& session_;
  GpuBuffer memory_;
  panthor::Group group_;
  panthor::Syncobj done_;
  unsigned queues_;
  int32_t salt_;
  std::vector<panthor::CommandStream> streams_;
  uint64_t point_ = 0;
  Clock::time_point started_;
};

void run(const LoadOptions& options, LoadResult& result) {
  Session session(panthor::Device::open_path_or_first(options.node), options.timeout);
  const auto priorities =
      options.priority ? std::vector{*options.priority} : allowed_priorities(session.device());
  std::mt19937 random(options.seed);
  std::vector<LoadGroup> groups;
  groups.reserve(options.groups);
  for (unsigned i = 0; i < options.groups; ++i)
    groups.emplace_back(session, options.queues, priorities[(i + options.seed) % priorities.size()],
                        random());

  const auto start = Clock::now();
  const auto goes_on = [&](uint64_t round) {
    return (options.rounds == 0 || round <= options.rounds) &&
           (options.duration.count() == 0 || Clock::now() - start < options.duration);
  };
  for (uint64_t round = 1; goes_on(round); ++round) {
    std::vector<LoadGroup*> order;
    for (LoadGroup& group : groups) order.push_back(&group);
    std::ranges::shuffle(order, random);
    for (LoadGroup* group : order) {
      if (options.watch) options.watch(true);
      group->submit(static_cast<uint32_t>(round));
    }
    for (LoadGroup* group : order) {
      const auto took = std::chrono::nanoseconds(group->check(static_cast<uint32_t>(round)));
      result.slowest_ns = std::max(result.slowest_ns, static_cast<uint64_t>(took.count()));
      result.jobs += options.queues;
    }
    result.rounds = round;
    if (options.watch) options.watch(false);
    if (options.pause.count() > 0) std::this_thread::sleep_for(options.pause);
  }
}

}  // namespace

LoadResult run_load(const LoadOptions& options) noexcept {
  LoadResult result;
  try {
    run(options, result);
  } catch (const std::exception& error) {
    std::string_view(error.what()).copy(result.error, sizeof(result.error) - 1);
  }
  return result;
}

}  // namespace harness
