// SPDX-License-Identifier: MIT
#include <cerrno>
#include <thread>

#include "device_test.hpp"

namespace panthor::test {
namespace {

using TimeoutTest = DeviceTest;

/// JOB_TIMEOUT_MS of panthor_sched.c.
constexpr auto job_timeout = 5s;

TEST_F(TimeoutTest, EndlessLoop_TimesOutAndTheDeviceLives) {
  const auto endless = session().stream([](CommandStreamBuilder& cs) { cs.branch(cs.here()); });
  const Group group = session().group();
  const Syncobj done(device());
  const auto start = std::chrono::steady_clock::now();
  session().submit(group, 0, endless, done);
  ASSERT_TRUE(done.wait(4 * job_timeout)) << "the job was never given up";
  const auto took = std::chrono::steady_clock::now() - start;
  EXPECT_GE(took, job_timeout - 500ms);
  EXPECT_LT(took, 2 * job_timeout);
  std::this_thread::sleep_for(100ms);  // the state follows the fence
  EXPECT_TRUE(group.state().timed_out);
  EXPECT_ERRNO(
      EINVAL,
      group.submit({.queue = 0, .stream_va = endless.va, .stream_bytes = endless.bytes, .syncs = {}}));
  expect_device_works();
}

TEST_F(TimeoutTest, BlockedJob_IsGivenUpAsWell) {
  // A wait that no queue of the group can end must be ended from outside, and the driver gives that a time
  // limit too (queue_suspend_timeout_locked()).
  const GpuBuffer gate = session().buffer(page);
  const Group group = session().group();
  const Syncobj done(device());
  const auto blocked =
      session().stream([&](CommandStreamBuilder& cs) { streams::wait_greater(cs, gate.va(), 0); });
  session().submit(group, 0, blocked, done);
  EXPECT_FALSE(done.wait(job_timeout - 500ms));
  EXPECT_TRUE(done.wait(job_timeout));
  std::this_thread::sleep_for(100ms);  // the state follows the fence
  EXPECT_TRUE(group.state().timed_out);
  expect_device_works();
}

}  // namespace
}  // namespace panthor::test
