// SPDX-License-Identifier: MIT
// States only hardware that fails leads to. They need the virtual GPU, whose faults are armed from inside the
// guest, and are skipped elsewhere.
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <thread>

#include "virtual_gpu_test.hpp"

namespace panthor::test {
namespace {

class InjectedFaultTest : public VirtualGpuTest {
 protected:

  /// Submits a job to `group` that never ends and keeps the address space of vm() on the GPU; returns when it
  /// runs.
  void start_endless_job(const Group& group, const Syncobj& done) {
    const GpuBuffer started = session().buffer(page);
    const auto endless = session().stream([&](CommandStreamBuilder& cs) {
      streams::store(cs, started.va(), 1);
      streams::publish(cs);
      cs.branch(cs.here());
    });
    session().submit(group, 0, endless, done);
    const auto deadline = std::chrono::steady_clock::now() + 2s;
    while (started.read32(0) == 0) {
      ASSERT_LT(std::chrono::steady_clock::now(), deadline) << "the job does not start";
      std::this_thread::sleep_for(1ms);
    }
    ASSERT_FALSE(done.wait(0ns));
  }

  /// While vm() is on the GPU: the command with which an asynchronous bind locks its region never completes,
  /// until the reset that follows.
  void fail_a_bind() {
    // The VMs of earlier tests give their address spaces up in work items: theirs must not be the command
    // that fails.
    std::this_thread::sleep_for(200ms);
    arm_fault("as-active-stuck:count=1");
    const BufferObject bo(device(), page);
    const Syncobj bound(device());
    vm().bind_async(BindOp::map(bo, session().address_space(page), BindFlags::noexec, {bound.signal_op()}));
    ASSERT_TRUE(bound.wait(hang_timeout)) << "the fence of a bind that failed must signal";
  }

  /// Makes vm() unusable, and leaves nothing running in it.
  void spoil_the_vm() {
    std::optional<Group> group = session().group();
    const Syncobj job_done(device());
    ASSERT_NO_FATAL_FAILURE(start_endless_job(*group, job_done));
    ASSERT_NO_FATAL_FAILURE(fail_a_bind());
    group.reset();
    ASSERT_TRUE(job_done.wait(hang_timeout)) << "the fence of a cancelled job must signal";
    ASSERT_EQ(vm().state(), VmState::unusable);
  }

  /// Lets the GPU become idle for longer than its autosuspend delay (50 ms, panthor_device_init()).
  [[nodiscard]] bool wait_for_suspend() const {
    const std::string node = std::filesystem::path(device().path()).filename();
    const std::string file = "/sys/class/drm/" + node + "/device/power/runtime_status";
    for (int i = 0; i < 300; ++i) {
      std::string status;
      std::ifstream(file) >> status;
      if (status == "suspended") return true;
      std::this_thread::sleep_for(10ms);
    }
    return false;
  }
};

TEST_F(InjectedFaultTest, FailedAsyncBind_MakesTheVmUnusable) {
  ASSERT_NO_FATAL_FAILURE(spoil_the_vm());
  const BufferObject bo(device(), page);
  const uint64_t va = session().address_space(page);
  const Syncobj done(device());
  EXPECT_ERRNO(EINVAL, vm().map(bo, va)) << "maps are refused";
  EXPECT_ERRNO(EINVAL, vm().bind_async(BindOp::map(bo, va)));
  EXPECT_ERRNO(EINVAL, vm().bind_async(BindOp::sync_only({done.signal_op()})));
  EXPECT_NO_THROW(vm().unmap(va, page)) << "unmaps are not";
  EXPECT_ERRNO(EINVAL, (void)session().group()) << "a group needs maps of its own";
  expect_device_works();
}

TEST_F(InjectedFaultTest, GroupDestroyedInAnUnusableVm_Goes) {
  Group group = session().group();
  ASSERT_NO_FATAL_FAILURE(spoil_the_vm());
  EXPECT_NO_THROW(group.destroy());
  expect_device_works();
}

TEST_F(InjectedFaultTest, AnotherVmOfTheFileStaysUsable) {
  const VirtualMemory other(device(), 1ull << 40);
  ASSERT_NO_FATAL_FAILURE(spoil_the_vm());
  EXPECT_EQ(other.state(), VmState::usable);
  EXPECT_NO_THROW(other.map(BufferObject(device(), page), 0x10000));
}

TEST_F(InjectedFaultTest, GroupThatCannotBeSuspendedForAReset_IsInnocent) {
  const Group group = session().group();
  const Syncobj done(device());
  ASSERT_NO_FATAL_FAILURE(start_endless_job(group, done));
  arm_fault("csg-ack-lost:count=1");  // of the SUSPEND in panthor_sched_suspend()
  ASSERT_NO_FATAL_FAILURE(fail_a_bind());
  ASSERT_TRUE(done.wait(hang_timeout)) << "the reset must end the job";
  const GroupState state = group.state();
  EXPECT_TRUE(state.innocent);
  EXPECT_TRUE(state.timed_out) << "innocent is only set together with timed out";
  EXPECT_FALSE(state.fatal_fault);
  EXPECT_EQ(state.fatal_queues, 0u);
  EXPECT_ERRNO(EINVAL, group.submit(QueueSubmit{})) << "a dead group takes no job";
  expect_device_works();
}

/// "Any GPU job targeting this VM will fail", but neither panthor_job_create() nor panthor_vm_active() asks
/// panthor_vm_is_unusable(): the next job runs, on page tables nobody vouches for.
TEST_F(InjectedFaultTest, DISABLED_JobInAnUnusableVm_EndsWithoutRunning) {
  const GpuBuffer memory = session().buffer(page);
  const auto stream = store(memory.va(), 0xbad);
  const Group group = session().group();
  ASSERT_NO_FATAL_FAILURE(spoil_the_vm());
  const Syncobj done(device());
  const int refused = errno_of([&] { session().submit(group, 0, stream, done); });
  if (refused == 0) {
    EXPECT_TRUE(done.wait(hang_timeout)) << "its fence must signal";
  } else {
    EXPECT_EQ(refused, EINVAL);
  }
  EXPECT_EQ(memory.read32(0), 0u);
  expect_device_works();
}

/// A job that is in the ring when its VM becomes unusable: panthor_vm_declare_unusable() disables the address
/// space, and masks its faults, so that nothing ends the job before its timeout does.
TEST_F(InjectedFaultTest, DISABLED_JobOfAVmThatBecomesUnusable_EndsAtOnce) {
  const Group group = session().group();
  const Syncobj done(device());
  ASSERT_NO_FATAL_FAILURE(start_endless_job(group, done));
  ASSERT_NO_FATAL_FAILURE(fail_a_bind());
  EXPECT_TRUE(done.wait(2s)) << "not before the job timeout";
  EXPECT_TRUE(group.state().fatal_fault);
  expect_device_works();
}

/// A flush whose completion is lost while the GPU goes to sleep stays in pending_reqs: every later flush is
/// -EIO, and nothing resets the GPU (panthor_gpu_flush_caches()).
TEST_F(InjectedFaultTest, DISABLED_FlushLostInASuspend_HarmsNoLaterJob) {
  const GpuBuffer memory = session().buffer(page);
  const Group group = session().group();
  session().run(group, 0, store(memory.va(), 1), "job before the suspend");
  arm_fault("flush-completion-lost:count=1");
  ASSERT_TRUE(wait_for_suspend());
  for (uint32_t cycle = 2; cycle < 5; ++cycle) {
    const Group fresh = session().group();
    session().run(fresh, 0, store(memory.va(), cycle), "job after the suspend");
    EXPECT_EQ(memory.read32(0), cycle);
    ASSERT_TRUE(wait_for_suspend());
  }
}

/// A reset that is asked for while the device resumes, here because the flush of the first attempt's clean-up
/// is lost: reset.pending stays set with no work queued, and every sched_queue_*() is a no-op from there on.
TEST_F(InjectedFaultTest, DISABLED_ResetAskedForInAResume_IsDone) {
  const GpuBuffer memory = session().buffer(page);
  ASSERT_TRUE(wait_for_suspend());
  arm_fault("mcu-boot-lost:count=1");
  arm_fault("flush-completion-lost:count=1");
  for (uint32_t job = 1; job < 4; ++job) {
    const Group group = session().group();
    const Syncobj done(device());
    session().submit(group, 0, store(memory.va(), job), done);
    ASSERT_TRUE(done.wait(hang_timeout)) << "job " << job << " hangs";
  }
  EXPECT_EQ(memory.read32(0), 3u);
}

/// "UNMAP operations are still accepted", but panthor_vm_bind_job_create() refuses every asynchronous
/// operation.
TEST_F(InjectedFaultTest, DISABLED_AsyncUnmapInAnUnusableVm_IsAccepted) {
  ASSERT_NO_FATAL_FAILURE(spoil_the_vm());
  EXPECT_NO_THROW(vm().bind_async(BindOp::unmap(session().address_space(page), page)));
}

}  // namespace
}  // namespace panthor::test
