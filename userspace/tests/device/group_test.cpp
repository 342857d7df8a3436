// SPDX-License-Identifier: MIT
#include <linux/capability.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <bit>
#include <cerrno>
#include <functional>

#include "device_test.hpp"
#include "load/worker.hpp"

namespace panthor::test {
namespace {

using GroupTest = DeviceTest;

TEST_F(GroupTest, BadOptionsAreRefused) {
  const GpuInfo gpu = device().gpu_info();
  const auto cores = static_cast<uint8_t>(std::popcount(gpu.shader_present));
  const auto tilers = static_cast<uint8_t>(std::popcount(gpu.tiler_present));
  const GroupOptions bad[] = {
      {.queues = {}},
      {.queues = {{.priority = 16}}},
      {.queues = {{.ring_bytes = 2048}}},
      {.queues = {{.ring_bytes = 128 << 10}}},
      {.queues = {{.ring_bytes = 4096 + 64}}},
      {.priority = static_cast<GroupPriority>(4)},
      {.compute = {.mask = ~gpu.shader_present}},
      {.fragment = {.mask = ~gpu.shader_present}},
      {.tiler = {.mask = ~gpu.tiler_present}},
      {.compute = {.max = static_cast<uint8_t>(cores + 1)}},
      {.fragment = {.max = static_cast<uint8_t>(cores + 1)}},
      {.tiler = {.max = static_cast<uint8_t>(tilers + 1)}},
  };
  for (size_t i = 0; i < std::size(bad); ++i)
    EXPECT_ERRNO(EINVAL, (void)session().group(bad[i])) << "row " << i;
}

TEST_F(GroupTest, UnknownVmIsRefused) {
  VirtualMemory gone(device());
  // A moved-from VM has id 0, which no VM ever has.
  const VirtualMemory moved = std::move(gone);
  EXPECT_ERRNO(EINVAL, Group(device(), gone));
}

TEST_F(GroupTest, SubsetOfTheCores_IsAccepted) {
  const uint64_t one_core = device().gpu_info().shader_present & -device().gpu_info().shader_present;
  const Group group =
      session().group({.compute = {.mask = one_core}, .fragment = {.mask = one_core, .max = 1}});
  const GpuBuffer memory = session().buffer(page);
  session().run(group, 0, store(memory.va(), 1), "store");
  EXPECT_EQ(memory.read32(0), 1u);
}

TEST_F(GroupTest, EveryAllowedPriorityRuns) {
  const auto info = device().group_priorities_info();
  const GpuBuffer memory = session().buffer(page);
  for (unsigned i = 0; i < group_priority_count; ++i) {
    const auto priority = static_cast<GroupPriority>(i);
    if (!info.allows(priority)) continue;
    session().run(session().group_of(1, priority), 0, store(memory.va() + i * 4, i + 1), "store");
    EXPECT_EQ(memory.read32(i * 4), i + 1);
  }
}

constexpr uid_t nobody = 65534;

/// Runs `as_documented` in a child that has left root behind. `capabilities`: what it keeps, a bit for each
/// CAP_*. Returns whether it said so.
bool without_root(uint32_t capabilities, const std::function<bool()>& as_documented) {
  const pid_t child = ::fork();
  if (child == 0) {
    __user_cap_header_struct header{.version = _LINUX_CAPABILITY_VERSION_3, .pid = 0};
    __user_cap_data_struct sets[2] = {
        {.effective = capabilities, .permitted = capabilities, .inheritable = 0}, {}};
    const bool dropped = ::prctl(PR_SET_KEEPCAPS, 1) == 0 && ::setresuid(nobody, nobody, nobody) == 0 &&
                         ::syscall(SYS_capset, &header, sets) == 0;
    ::_exit(dropped && as_documented() ? 0 : 1);
  }
  int status = 1;
  return ::waitpid(child, &status, 0) == child && status == 0;
}

TEST_F(GroupTest, HighPriorities_NeedAPrivilege) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs root, to give the privilege up in a child";
  const auto create = [&](GroupPriority priority) {
    return errno_of([&] { (void)session().group_of(1, priority); });
  };
  const auto outcome_is = [&](int expected, uint8_t mask) {
    return create(GroupPriority::realtime) == expected && create(GroupPriority::high) == expected &&
           create(GroupPriority::medium) == 0 && create(GroupPriority::low) == 0 &&
           device().group_priorities_info().allowed_mask == mask;
  };
  EXPECT_TRUE(outcome_is(0, 0b1111)) << "as root";
  EXPECT_TRUE(without_root(0, [&] { return outcome_is(EACCES, 0b0011); })) << "without a privilege";
  EXPECT_TRUE(without_root(1u << CAP_SYS_NICE, [&] { return outcome_is(0, 0b1111); })) << "with CAP_SYS_NICE";
}

TEST_F(GroupTest, FileHasALimit) {
  std::vector<Group> groups;
  const GroupOptions small{.queues = {{.ring_bytes = 4096}}};
  while (groups.size() < Group::max_per_file) groups.push_back(session().group(small));
  EXPECT_ERRNO(EBUSY, groups.push_back(session().group(small)));
  groups.pop_back();
  EXPECT_NO_THROW(groups.push_back(session().group(small)));
}

TEST_F(GroupTest, DestroyedGroupIsGone) {
  Group group = session().group();
  group.destroy();
  EXPECT_ERRNO(EINVAL, (void)group.state());
  EXPECT_ERRNO(EINVAL, group.destroy());
}

TEST_F(GroupTest, DestroyCancelsABlockedJob) {
  const GpuBuffer memory = session().buffer(page);
  const Syncobj done(device());
  {
    const Group group = session().group();
    const auto blocked =
        session().stream([&](CommandStreamBuilder& cs) { streams::wait_greater(cs, memory.va(), 0); });
    session().submit(group, 0, blocked, done);
    EXPECT_FALSE(done.wait(20ms));
  }
  EXPECT_TRUE(done.wait(hang_timeout)) << "the fence of a cancelled job must signal";
  expect_device_works();
}

TEST_F(GroupTest, SixtyFourGroupsOfMixedPriorities_AllFinish) {
  const harness::LoadResult result = harness::run_load(
      {.node = device().path(), .groups = 64, .queues = 2, .rounds = 4, .timeout = hang_timeout, .seed = 7});
  EXPECT_STREQ(result.error, "");
  EXPECT_EQ(result.jobs, 64u * 2 * 4);
}

}  // namespace
}  // namespace panthor::test
