// SPDX-License-Identifier: MIT
#include "firmware/endpoints.hpp"

#include <gtest/gtest.h>

#include "firmware/job_model.hpp"
#include "firmware/timing.hpp"

namespace vgpu::fw {
namespace {

class EndpointTest : public testing::Test {
 protected:
  EndpointTest() { pool.set_available(0x50005, 1); }

  static GroupEndpoints group(unsigned slot, uint32_t priority, uint32_t compute = 4) {
    return {.slot = slot,
            .request = {.compute = compute, .fragment = 4, .tiler = 1, .priority = priority},
            .allow_compute = 0x50005,
            .allow_fragment = 0x50005,
            .allow_tiler = 1};
  }
  EndpointPool::Id start(const GroupEndpoints& g, uint64_t tasks, uint64_t ns, std::string name,
                         cs::Endpoint endpoint = cs::Endpoint::compute, uint64_t first = 0) {
    return pool.start(
        {.endpoint = endpoint,
         .group = &g,
         .tasks = tasks,
         .ns_per_task = ns,
         .first_task = first,
         .finished = [this, name = std::move(name)] { ended.emplace_back(clock.now_ns(), name); }});
  }
  void pass(uint64_t ns) {
    const uint64_t end = clock.now_ns() + ns;
    while (true) {
      events.run_due();
      const auto next = events.next_deadline_ns();
      if (!next || *next > end) break;
      clock.advance_to(*next);
    }
    clock.advance_to(end);
  }

  VirtualClock clock;
  EventLog log{clock};
  EventQueue events{clock};
  EndpointPool pool{events, log};
  std::vector<std::pair<uint64_t, std::string>> ended;
};
using Ended = std::vector<std::pair<uint64_t, std::string>>;

TEST_F(EndpointTest, FourCoresShareAJobsTasks) {
  const auto g = group(0, 8);
  start(g, 100, 1000, "a");
  pass(1'000'000);
  EXPECT_EQ(ended, (Ended{{25'000, "a"}}));
  EXPECT_EQ(pool.retired(0), 100u);
}

TEST_F(EndpointTest, TheGroupsLimitAndMaskHold) {
  auto g = group(0, 8, 2);
  start(g, 100, 1000, "two");
  EXPECT_EQ(pool.held(0, cs::Endpoint::compute), 2u);
  auto masked = group(1, 9);
  masked.allow_compute = 0x4;
  start(masked, 10, 1000, "one");
  EXPECT_EQ(pool.held(1, cs::Endpoint::compute), 1u);
  pass(1'000'000);
  EXPECT_EQ(ended, (Ended{{10'000, "one"}, {50'000, "two"}}));
}

TEST_F(EndpointTest, TheMoreUrgentGroupTakesTheCoresAndGivesThemBack) {
  const auto low = group(0, 1), high = group(1, 15);
  start(low, 100, 1000, "low");
  pass(10'000);
  start(high, 40, 1000, "high");
  EXPECT_EQ(pool.held(0, cs::Endpoint::compute), 0u);
  pass(1'000'000);
  EXPECT_EQ(ended, (Ended{{20'000, "high"}, {35'000, "low"}})) << "preempted work is not lost";
}

TEST_F(EndpointTest, EqualPrioritiesTakeTurns) {
  const auto a = group(0, 8), b = group(1, 8);
  start(a, JobPlan::endless, 1000, "a");
  start(b, 4, 1000, "b");
  pass(2 * timing::endpoint_quantum_ns);
  ASSERT_EQ(ended.size(), 1u);
  EXPECT_EQ(ended[0].second, "b");
}

TEST_F(EndpointTest, AStoppedJobGoesOnWhereItWas) {
  const auto g = group(0, 8);
  const auto id = start(g, 100, 1000, "a");
  pass(10'500);
  const uint64_t done = pool.stop(id);
  EXPECT_EQ(done, 42u);
  pass(1'000'000);
  EXPECT_TRUE(ended.empty());
  start(g, 100, 1000, "b", cs::Endpoint::compute, done);
  pass(14'500);
  EXPECT_EQ(ended.size(), 1u);
}

TEST_F(EndpointTest, WithoutPowerNothingRuns) {
  const auto g = group(0, 8);
  pool.set_available(0, 0);
  start(g, 4, 1000, "a");
  pass(1'000'000);
  EXPECT_TRUE(ended.empty());
  EXPECT_TRUE(pool.starved());
  pool.set_available(0x1, 0);
  pass(4'000);
  EXPECT_EQ(ended.size(), 1u);
}

TEST_F(EndpointTest, TheTilerIsAnEndpointOfItsOwn) {
  const auto g = group(0, 8);
  start(g, JobPlan::endless, 1000, "compute");
  start(g, 10, 1000, "tiler", cs::Endpoint::tiler);
  pass(10'000);
  EXPECT_EQ(ended, (Ended{{10'000, "tiler"}}));
}

TEST_F(EndpointTest, AnEmptyJobEndsAtOnce) {
  const auto g = group(0, 8);
  start(g, 0, 1000, "a");
  pass(0);
  EXPECT_EQ(ended.size(), 1u);
}

}  // namespace
}  // namespace vgpu::fw
