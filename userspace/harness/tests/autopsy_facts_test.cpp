// SPDX-License-Identifier: MIT
// What the collectors of `autopsy` make of a machine that is made of files.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <thread>

#include "autopsy/bounded_read.hpp"
#include "autopsy/client.hpp"
#include "autopsy/collect.hpp"
#include "autopsy/driver_files.hpp"
#include "autopsy/power.hpp"
#include "autopsy/processes.hpp"
#include "autopsy/workers.hpp"
#include "file_tree.hpp"

namespace harness::autopsy {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

class AutopsyTree : public ::testing::Test {
 protected:
  AutopsyTree() { board_.root = tree_.root(); }

  void file(const std::string& name, const std::string& text) const { tree_.file(name, text); }
  void link(const std::string& name, const std::string& target) const { tree_.link(name, target); }

  /// Process 201 with the GPU at descriptor 3 and a sync_file at 5, its only thread in system call `syscall`.
  void process(const std::string& syscall, const std::string& wchan = "0",
               const std::string& stack = "") const {
    file("/proc/201/comm", "llama-bench\n");
    link("/proc/201/fd/3", "/dev/dri/renderD128");
    link("/proc/201/fd/4", "/dev/null");
    link("/proc/201/fd/5", "anon_inode:sync_file");
    const std::string task = "/proc/201/task/201";
    file(task + "/status",
         "State:\tS (sleeping)\nnonvoluntary_ctxt_switches:\t9\nvoluntary_ctxt_switches:\t42\n");
    file(task + "/syscall", syscall + "\n");
    file(task + "/wchan", wchan);
    file(task + "/stack", stack);
    file(task + "/sched", "llama-bench (201, #threads: 1)\nse.exec_start      :    1500.250000\n");
    file("/proc/self/sched", "x (1, #threads: 1)\nse.exec_start      :    13500.250000\n");
  }
  [[nodiscard]] Thread only_thread() const {
    const Processes processes = look_at_processes(board_, 0, 1);
    EXPECT_EQ(processes.all.size(), 1u);
    if (processes.all.empty() || processes.all[0].threads.empty()) return {};
    return processes.all[0].threads[0];
  }

  void gpu() const {
    link("/sys/bus/platform/devices/fb000000.gpu/driver", "../../../bus/platform/drivers/panthor");
  }

  FileTree tree_;
  BoardTree board_;
};

std::string in_ioctl(const std::string& number, int fd = 3) {
  return std::to_string(SYS_ioctl) + " 0x" + std::to_string(fd) + " " + number +
         " 0x7ffc0000 0x0 0x0 0x0 0x7f 0x7f";
}

TEST_F(AutopsyTree, AThreadInSyncobjWaitWaitsForAFence) {
  process(in_ioctl("0xc03064c3"));
  const Thread thread = only_thread();
  EXPECT_EQ(thread.activity, Activity::in_fence) << thread.doing;
  EXPECT_EQ(thread.doing, "DRM_IOCTL_SYNCOBJ_WAIT");
  EXPECT_EQ(thread.switches, 42u);
  EXPECT_DOUBLE_EQ(thread.asleep_s.value_or(0), 12);
}

TEST_F(AutopsyTree, AnotherIoctlOfTheGpuIsTheDriversOwn) {
  process(in_ioctl("0xc0186444"));
  EXPECT_EQ(only_thread().activity, Activity::in_driver);
}

TEST_F(AutopsyTree, AnIoctlOfAnotherFileIsNoneOfOurs) {
  process(in_ioctl("0xc03064c3", 4), "tty_wait");
  EXPECT_EQ(only_thread().activity, Activity::elsewhere);
}

TEST_F(AutopsyTree, PollIsTold) {
  process(std::to_string(SYS_ppoll) + " 0x7ffc 0x1 0x0 0x0 0x0 0x0 0x7f 0x7f");
  EXPECT_EQ(only_thread().activity, Activity::in_poll);
  EXPECT_EQ(look_at_processes(board_, 0, 1).all[0].sync_fds, (std::vector<int>{5}));
}

TEST_F(AutopsyTree, WithoutTheSystemCallTheStackTells) {
  process("", "0",
          "[<0>] schedule_timeout+0x1/0x2\n[<0>] drm_syncobj_array_wait_timeout+0x3a0/0x5c0 [drm]\n");
  EXPECT_EQ(only_thread().activity, Activity::in_fence);
}

TEST_F(AutopsyTree, AProcessThatIsGoneIsNotThere) {
  EXPECT_TRUE(look_at_processes(board_, 77, 1).all.empty());
}

TEST(ParseSystemCall, HostileTextIsNoCall) {
  EXPECT_FALSE(parse_system_call(""));
  EXPECT_FALSE(parse_system_call("running"));
  EXPECT_EQ(parse_system_call("7")->number, 7);
  EXPECT_EQ(parse_system_call("7 0xzz 3 0xffffffffffffffffff")->arguments[0], 0u);
}

std::vector<GpuProcess> waiting(Activity activity, uint64_t switches, std::optional<double> asleep) {
  GpuProcess process;
  process.pid = 201;
  process.sync_fds = {5};
  process.threads.resize(1);
  process.threads[0].snapshot.pid = 201;
  process.threads[0].activity = activity;
  process.threads[0].switches = switches;
  process.threads[0].asleep_s = asleep;
  return {process};
}

TEST(PickWaiter, AThreadThatMovedDoesNotHang) {
  EXPECT_FALSE(
      pick_waiter(waiting(Activity::in_fence, 1, 9.0), waiting(Activity::in_fence, 2, 9.0), 2.0, {}));
  EXPECT_TRUE(pick_waiter(waiting(Activity::in_fence, 1, 9.0), waiting(Activity::in_fence, 1, 9.0), 2.0, {}));
}

TEST(PickWaiter, AShortWaitIsNoHang) {
  EXPECT_FALSE(
      pick_waiter(waiting(Activity::in_fence, 1, 0.5), waiting(Activity::in_fence, 1, 1.0), 0.5, {}));
  EXPECT_TRUE(pick_waiter(waiting(Activity::in_fence, 1, {}), waiting(Activity::in_fence, 1, {}), 2.5, {}))
      << "watched for long enough";
}

TEST(PickWaiter, APollWithoutASyncFileIsForSomethingElse) {
  auto polls = waiting(Activity::in_poll, 1, 9.0);
  EXPECT_TRUE(pick_waiter(polls, polls, 2.0, {}));
  polls[0].sync_fds.clear();
  EXPECT_FALSE(pick_waiter(polls, polls, 2.0, {}));
}

TEST(ParseClient, TellsPendingFromSignalledAndNeverSubmitted) {
  const Client client = parse_client(
      "wait all=1\nwants handle=3 point=2\nwants handle=4 point=0\nwants handle=5 point=0\nwants handle=6 "
      "point=1\n"
      "syncobj handle=3 fence=1 signalled=1 point=1 submitted=1\nfence driver=drm_sched status=1 timeline=x\n"
      "syncobj handle=4 fence=1 signalled=0 point=0 submitted=0\n"
      "fence driver=drm_sched status=0 timeline=panthor-queue-5-1-0\n"
      "syncobj handle=5 fence=1 signalled=1 point=0 submitted=0\n"
      "vm id=1 usable=0\ngroups-begin\ngroup handle=1 timedout=1 fatal=0 innocent=0\ngroups-end\n");
  ASSERT_EQ(client.targets.size(), 4u);
  EXPECT_TRUE(client.wait_all);
  EXPECT_EQ(client.targets[0].state, Target::State::never_submitted);
  EXPECT_EQ(client.targets[1].state, Target::State::pending);
  ASSERT_EQ(client.targets[1].fences.size(), 1u);
  EXPECT_EQ(client.targets[1].fences[0].timeline, "panthor-queue-5-1-0");
  EXPECT_EQ(client.targets[2].state, Target::State::signalled);
  EXPECT_EQ(client.targets[3].state, Target::State::unknown) << "it was not looked at";
  EXPECT_FALSE(client.vms.at(0).usable);
  EXPECT_TRUE(client.groups.at(0).timed_out);
  EXPECT_FALSE(client.groups_blocked);
}

TEST(ParseClient, ACallThatDidNotReturnCutsTheText) {
  EXPECT_TRUE(parse_client("syncobj handle=3 fence=1\ngroups-begin\n").groups_blocked);
  EXPECT_NO_THROW((void)parse_client("fence driver=x\nwants\nsyncobj\ngroup handle=zz\n\x01\xff=\n"));
}

TEST(Bounded, ReadsAFileAndReportsItsErrors) {
  EXPECT_FALSE(read_bounded("/proc/self/comm").text.empty());
  const Bounded missing = read_bounded("/nowhere/at/all");
  EXPECT_TRUE(missing.finished);
  EXPECT_EQ(missing.error, ENOENT);
  EXPECT_EQ(missing.why_not(), "No such file or directory");
}

TEST(Bounded, WhatDoesNotReturnIsLeftWithWhatItSaid) {
  const auto work = [](int fd) {
    if (::write(fd, "first", 5) != 5) return EIO;
    for (;;) ::pause();
    return 0;
  };
  // On a busy machine the child may need longer to begin.
  Bounded stuck;
  for (auto deadline = 20ms; stuck.text.empty() && deadline < 20s; deadline *= 4)
    stuck = run_bounded(work, deadline);
  EXPECT_FALSE(stuck.finished);
  EXPECT_EQ(stuck.text, "first");
  EXPECT_NE(stuck.why_not(), "");
}

TEST(Bounded, AChildDoesNotHoldWhatItsCallerIsReadFrom) {
  const Bounded out = run_bounded([](int fd) {
    std::array<char, 64> target{};
    const ssize_t size = ::readlink("/proc/self/fd/1", target.data(), target.size());
    return ::write(fd, target.data(), static_cast<size_t>(size)) == size ? 0 : EIO;
  });
  EXPECT_EQ(out.text, "/dev/null");
}

/// A FIFO that nobody writes to blocks who opens it, as a file whose lock is held blocks who reads it.
TEST_F(AutopsyTree, FilesThatBlockAreNamedAndLeft) {
  gpu();
  const std::string dri = "/sys/kernel/debug/dri/fb000000.gpu/";
  const std::string frequency = "/sys/bus/platform/devices/fb000000.gpu/devfreq/fb000000.gpu/cur_freq";
  for (const std::string& name : {dri + "hang", dri + "gpuvas", frequency}) {
    fs::create_directories(board_.path(name).parent_path());
    ASSERT_EQ(::mkfifo(board_.path(name).c_str(), 0600), 0) << name;
  }
  EXPECT_NE(look_at_hang_dump(board_).source.note.find("did not return"), std::string::npos);
  const auto files = look_at_debug_files(board_);
  const auto gpuvas =
      std::ranges::find_if(files, [](const DebugFile& file) { return file.source.name == "gpuvas"; });
  ASSERT_NE(gpuvas, files.end());
  EXPECT_TRUE(gpuvas->blocked);
  EXPECT_FALSE(look_at_power(board_).power.hz);
}

TEST_F(AutopsyTree, PowerIsReadWithItsTimes) {
  gpu();
  const std::string power = "/sys/bus/platform/devices/fb000000.gpu/power";
  file(power + "/runtime_status", "suspended\n");
  file(power + "/control", "auto\n");
  file(power + "/runtime_active_time", "120\n");
  file(power + "/runtime_suspended_time", "880\n");
  file("/sys/kernel/debug/clk/clk_summary",
       "  clock\n  clk_gpu   0  0  0  300000000  0  0  50000  N  fb000000.gpu  core\n");
  file("/sys/kernel/debug/pm_genpd/pm_genpd_summary", "domain status children\ngpu   off-0\n");
  const PowerLook look = look_at_power(board_);
  EXPECT_TRUE(look.source.seen);
  EXPECT_EQ(look.power.domain, "gpu off-0");
  EXPECT_TRUE(look.power.clock.starts_with("clk_gpu 0 0 0 300000000"));
  EXPECT_TRUE(stayed_suspended(look.power, look.power));
  EXPECT_FALSE(stayed_active(look.power, look.power));
  Power later = look.power;
  later.active_ms = 121;
  EXPECT_FALSE(stayed_suspended(look.power, later)) << "it was awake in between";
}

TEST_F(AutopsyTree, WorkersInTheDriverAreFoundByTheirStack) {
  file("/proc/14/comm", "kworker/u8:1-panthor-reset-wq\n");
  file("/proc/14/status", "State:\tD (disk sleep)\n");
  file("/proc/14/stack",
       "[<0>] __synchronize_irq+0x1/0x2\n[<0>] panthor_gpu_flush_caches+0x1/0x2 [panthor]\n"
       "[<0>] panthor_device_reset_work+0x1/0x2 [panthor]\n[<0>] process_one_work+0x1/0x2\n[<0>] "
       "worker_thread+0x1/0x2\n");
  file("/proc/15/stack", "[<0>] worker_thread+0x1/0x2\n[<0>] kthread+0x1/0x2\n");
  file("/proc/16/cmdline", "a program");
  file("/proc/16/stack", "[<0>] panthor_ioctl_vm_bind+0x1/0x2 [panthor]\n");
  const Workers workers = look_at_workers(board_);
  ASSERT_EQ(workers.all.size(), 1u);
  EXPECT_EQ(workers.all[0].pid, 14);
  EXPECT_EQ(workers.all[0].state, 'D');
  EXPECT_EQ(workers.all[0].function, "panthor_device_reset_work");
}

TEST_F(AutopsyTree, TheHangDumpIsFoundByTheDevicesName) {
  gpu();
  file("/sys/kernel/debug/dri/fb000000.gpu/hang", "panthor-hang version=1\nend lines=1 truncated=0\n");
  const DumpLook look = look_at_hang_dump(board_);
  ASSERT_TRUE(look.dump) << look.source.note;
  EXPECT_TRUE(look.dump->complete());
}

TEST_F(AutopsyTree, EverythingAbsentSaysWhy) {
  const Facts facts =
      collect(board_, {.pid = 0, .after = 1ms, .window = 1ms, .log_age = 600s, .probe = false});
  for (const Source& source : facts.sources) EXPECT_NE(source.note, "") << source.name;
  EXPECT_FALSE(facts.waiter);
  EXPECT_FALSE(facts.dump);
}

TEST_F(AutopsyTree, ADumpOfANewerVersionIsRefusedInWords) {
  gpu();
  file("/sys/kernel/debug/dri/fb000000.gpu/hang", "panthor-hang version=9\n");
  const DumpLook look = look_at_hang_dump(board_);
  EXPECT_FALSE(look.dump);
  EXPECT_NE(look.source.note.find("version 9"), std::string::npos) << look.source.note;
}

TEST(ConcernsGpu, LeavesTheRestOfTheLogAlone) {
  EXPECT_TRUE(concerns_gpu("panthor fb000000.gpu: [drm] *ERROR* job timeout"));
  EXPECT_FALSE(concerns_gpu("audit: user=alice opened /home/alice"));
}

}  // namespace
}  // namespace harness::autopsy
