// SPDX-License-Identifier: MIT
#include <cerrno>

#include "device_test.hpp"

namespace panthor::test {
namespace {

using SyncobjTest = DeviceTest;

TEST_F(SyncobjTest, WaitOnAnEmptyOneIsAnError) {
  const Syncobj fence(device());
  EXPECT_ERRNO(EINVAL, (void)fence.wait(0ns));
  EXPECT_FALSE(fence.wait(1ms, WaitMode::for_submit));
}

TEST_F(SyncobjTest, SignalAndReset) {
  const Syncobj fence(device(), true);
  EXPECT_TRUE(fence.wait(0ns));
  fence.reset();
  EXPECT_FALSE(fence.wait(0ns, WaitMode::for_submit));
  fence.signal();
  EXPECT_TRUE(fence.wait(0ns));
}

TEST_F(SyncobjTest, Timeline_CountsUp) {
  const Syncobj chain(device());
  EXPECT_EQ(chain.query(), 0u);
  chain.signal_point(10);
  EXPECT_EQ(chain.query(), 10u);
  EXPECT_TRUE(chain.wait_point(3, 0ns)) << "earlier points are covered";
  EXPECT_FALSE(chain.wait_point(11, 1ms, WaitMode::until_available));
}

TEST_F(SyncobjTest, ImportedHandleIsTheSameObject) {
  const Syncobj fence(device());
  const Syncobj twin = Syncobj::import_handle(device(), fence.export_handle());
  fence.signal();
  EXPECT_TRUE(twin.wait(0ns));
}

TEST_F(SyncobjTest, SyncFile_NeedsAFence) {
  const Syncobj fence(device());
  EXPECT_ERRNO(EINVAL, (void)fence.export_sync_file());
  fence.signal();
  EXPECT_TRUE(fence.export_sync_file());
}

TEST_F(SyncobjTest, WaitEndsAtItsTimeout) {
  const GpuBuffer memory = session().buffer(page);
  const Group group = session().group();
  const Syncobj done(device());
  const auto blocked =
      session().stream([&](CommandStreamBuilder& cs) { streams::wait_greater(cs, memory.va(), 0); });
  session().submit(group, 0, blocked, done);
  const auto start = std::chrono::steady_clock::now();
  EXPECT_FALSE(done.wait(50ms));
  EXPECT_GE(std::chrono::steady_clock::now() - start, 50ms);
}

}  // namespace
}  // namespace panthor::test
