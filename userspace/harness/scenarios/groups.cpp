// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include "jobs/check.hpp"
#include "jobs/priorities.hpp"
#include "jobs/streams.hpp"
#include "scenarios/scenario.hpp"

namespace harness {
namespace {

using panthor::CommandStreamBuilder;
using panthor::GroupPriority;

constexpr unsigned group_count = 20;  // a G610's firmware has 8 slots
constexpr unsigned rounds = 3;
constexpr uint64_t stride = 64;

void more_groups_than_slots(Session& session) {
  const auto priorities = allowed_priorities(session.device());
  const GpuBuffer memory = session.buffer(group_count * stride);
  std::vector<panthor::Group> groups;
  std::vector<panthor::Syncobj> fences;
  for (unsigned i = 0; i < group_count; ++i) {
    groups.push_back(session.group_of(1, priorities[i % priorities.size()]));
    fences.emplace_back(session.device());
  }
  for (unsigned round = 1; round <= rounds; ++round) {
    for (unsigned i = 0; i < group_count; ++i) {
      const auto stream = session.stream([&](CommandStreamBuilder& cs) {
        streams::spin(cs, 500);
        streams::store(cs, memory.va() + i * stride, round << 16 | i);
        streams::publish(cs);
      });
      session.submit(groups[i], 0, stream, fences[i]);
    }
    for (unsigned i = 0; i < group_count; ++i) {
      session.finish(fences[i], groups[i], fmt::format("group {} in round {}", i, round));
      expect_equal(fmt::format("word of group {}", i), memory.read32(i * stride), round << 16 | i);
    }
  }
}

void blocked_groups_give_way(Session& session) {
  // More blocked groups than slots, then one that is not: the scheduler must take a blocked one off its slot,
  // and each must go on with its registers when it is released.
  const unsigned blocked = session.csif().csg_slot_count + 2;
  const GpuBuffer memory = session.buffer((blocked + 1) * stride);
  const GpuBuffer gates = session.buffer(blocked * stride);
  std::vector<panthor::Group> groups;
  std::vector<panthor::Syncobj> fences;
  for (unsigned i = 0; i < blocked; ++i) {
    groups.push_back(session.group());
    fences.emplace_back(session.device());
    const auto stream = session.stream([&](CommandStreamBuilder& cs) {
      constexpr panthor::Reg kept{3};
      cs.move(kept, 0xace0 + i);
      streams::wait_greater(cs, gates.va() + i * stride, 0);
      streams::store(cs, memory.va() + i * stride, kept);
      streams::publish(cs);
    });
    session.submit(groups[i], 0, stream, fences[i]);
  }
  const panthor::Group runner = session.group();
  const auto store = session.stream([&](CommandStreamBuilder& cs) {
    streams::store(cs, memory.va() + blocked * stride, 0xfee);
    streams::publish(cs);
  });
  session.run(runner, 0, store, "group behind the blocked ones");
  expect_equal("its word", memory.read32(blocked * stride), 0xfee);

  const auto open_all = session.stream([&](CommandStreamBuilder& cs) {
    for (unsigned i = 0; i < blocked; ++i) streams::signal(cs, gates.va() + i * stride);
  });
  session.run(runner, 0, open_all, "job that releases the blocked groups");
  for (unsigned i = 0; i < blocked; ++i) {
    session.finish(fences[i], groups[i], fmt::format("released group {}", i));
    expect_equal(fmt::format("register kept by group {}", i), memory.read32(i * stride), 0xace0 + i);
  }
}

constexpr Scenario table[] = {
    {"group.oversubscribed", "Twenty groups of mixed priorities share the firmware's slots",
     more_groups_than_slots},
    {"group.blocked", "Blocked groups leave their slot to one that can run and keep their registers",
     blocked_groups_give_way},
};

}  // namespace

std::span<const Scenario> group_scenarios() {
  return table;
}

}  // namespace harness
