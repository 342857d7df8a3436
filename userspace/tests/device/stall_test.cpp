// SPDX-License-Identifier: MIT
// The stall detector and the hang dump of the kernel series "hang" (docs/hang-dump.md): skipped on a kernel
// without them.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

#include "virtual_gpu_test.hpp"

namespace panthor::test {
namespace {

/// A file of one word that gets its old content back.
class Setting {
 public:
  Setting(std::string path, const std::string& value) : path_(std::move(path)) {
    std::ifstream(path_) >> old_;
    set(value);
  }
  ~Setting() { set(old_); }
  Setting(const Setting&) = delete;
  Setting& operator=(const Setting&) = delete;

 private:
  void set(const std::string& value) const { std::ofstream(path_) << value << std::endl; }

  std::string path_;
  std::string old_;
};

class StallTest : public DeviceTest {
 protected:
  void SetUp() override {
    DeviceTest::SetUp();
    if (IsSkipped()) return;
    if (!std::ifstream(parameters + "stall_ms")) GTEST_SKIP() << "the kernel has no stall detector";
    kmsg_ = UniqueFd(open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC));
    if (!kmsg_ || lseek(kmsg_.get(), 0, SEEK_END) < 0) GTEST_SKIP() << "no /dev/kmsg (root)";
  }

  /// The lines of the detector since the last call, from "stage=" on.
  std::vector<std::string> stalls() {
    std::vector<std::string> lines;
    char record[8192];
    for (ssize_t bytes; (bytes = read(kmsg_.get(), record, sizeof(record) - 1)) > 0;) {
      const std::string text(record, static_cast<size_t>(bytes));
      const auto at = text.find("stall: ");
      if (at != std::string::npos) lines.push_back(text.substr(at + 7, text.find('\n') - at - 7));
    }
    return lines;
  }

  void expect_stall(const std::string& begin) {
    const auto lines = stalls();
    EXPECT_TRUE(std::ranges::any_of(lines, [&](const auto& line) { return line.starts_with(begin); }))
        << "expected: " << begin << "\nlogged: " << testing::PrintToString(lines);
  }

  /// Keeps the GPU from going to sleep.
  [[nodiscard]] Setting awake() const {
    const std::string node = std::filesystem::path(device().path()).filename();
    return {"/sys/class/drm/" + node + "/device/power/control", "on"};
  }

  /// debugfs/dri/MINOR/hang.
  [[nodiscard]] std::string dump() const {
    const std::string minor = std::string(device().path()).substr(std::string("/dev/dri/renderD").size());
    std::stringstream text;
    text << std::ifstream("/sys/kernel/debug/dri/" + minor + "/hang").rdbuf();
    return text.str();
  }

  /// The records of the dump with that name.
  [[nodiscard]] static std::vector<std::string> records(const std::string& text, const std::string& name) {
    std::vector<std::string> found;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);)
      if (line.starts_with(name + " ")) found.push_back(line);
    return found;
  }

  [[nodiscard]] CommandStream endless() {
    return session().stream([](CommandStreamBuilder& cs) { cs.branch(cs.here()); });
  }

  static inline const std::string parameters = "/sys/module/panthor/parameters/";

 private:
  UniqueFd kmsg_;
};

TEST_F(StallTest, JobsThatFinishAreNoStall) {
  const GpuBuffer memory = session().buffer(page);
  const Group group = session().group();
  for (uint32_t i = 1; i < 100; ++i) session().run(group, 0, store(memory.va(), i), "store");
  std::this_thread::sleep_for(10s);
  EXPECT_EQ(stalls().size(), 0u);
}

TEST_F(StallTest, EndlessJob_TimesOutAtS6) {
  const Group group = session().group();
  const Syncobj done(device());
  session().submit(group, 0, endless(), done);
  EXPECT_FALSE(done.wait(4s));
  EXPECT_EQ(stalls().size(), 0u) << "a job may take its time";
  ASSERT_TRUE(done.wait(hang_timeout));
  expect_stall("stage=S6 cause=executing by=timeout");
}

TEST_F(StallTest, UnmetSyncWait_TimesOutAtS6) {
  const GpuBuffer gate = session().buffer(page);
  const Group group = session().group();
  const Syncobj done(device());
  const auto blocked =
      session().stream([&](CommandStreamBuilder& cs) { streams::wait_greater(cs, gate.va(), 0); });
  session().submit(group, 0, blocked, done);
  ASSERT_TRUE(done.wait(hang_timeout));
  expect_stall("stage=S6 cause=sync-wait by=timeout");
}

TEST_F(StallTest, LostEvent_IsNamedS7AndMadeUpForBeforeTheJobTimeout) {
  const Setting power = awake();
  const GpuBuffer memory = session().buffer(page);
  const Group group = session().group();
  session().run(group, 0, store(memory.va(), 1), "store");
  arm_fault("job-irq-lost:count=0");
  if (IsSkipped()) return;
  const Syncobj done(device());
  session().submit(group, 0, store(memory.va(), 2), done);
  EXPECT_FALSE(done.wait(2500ms));
  EXPECT_TRUE(done.wait(2s));
  disarm_fault("job-irq-lost");
  expect_stall("stage=S7 cause=event-lost by=stall");
  EXPECT_EQ(memory.read32(0), 2u);
  expect_device_works();
}

TEST_F(StallTest, MaskedInterrupt_IsNamedS7AndUnmasked) {
  const Setting power = awake();
  const GpuBuffer memory = session().buffer(page);
  const Group group = session().group();
  session().run(group, 0, store(memory.va(), 1), "store");
  arm_fault("job-unmask-lost:count=0");
  if (IsSkipped()) return;
  const Syncobj last_event(device());  // its handler is the last: it cannot unmask
  session().submit(group, 0, store(memory.va(), 2), last_event);
  EXPECT_TRUE(last_event.wait(hang_timeout));
  std::this_thread::sleep_for(100ms);
  const Syncobj done(device());
  session().submit(group, 0, store(memory.va(), 3), done);
  EXPECT_FALSE(done.wait(2500ms));
  disarm_fault("job-unmask-lost");
  EXPECT_TRUE(done.wait(2s));
  expect_stall("stage=S7 cause=irq-masked by=stall");
  for (uint32_t i = 4; i < 8; ++i) session().run(group, 0, store(memory.va(), i), "store");
  EXPECT_EQ(stalls().size(), 0u);
}

TEST_F(StallTest, LostDoorbell_IsNamedS5) {
  const Group group = session().group_of(2);
  const GpuBuffer started = session().buffer(page);
  const Syncobj first(device());
  const auto spin = session().stream([&](CommandStreamBuilder& cs) {
    streams::store(cs, started.va(), 1);
    streams::publish(cs);
    cs.branch(cs.here());
  });
  session().submit(group, 0, spin, first);
  while (started.read32(0) == 0) std::this_thread::sleep_for(1ms);
  const auto second = store(started.va() + 4, 2);
  arm_fault("doorbell-lost:count=1");
  if (IsSkipped()) return;
  const Syncobj done(device());
  session().submit(group, 1, second, done);
  EXPECT_TRUE(done.wait(hang_timeout));
  disarm_fault("doorbell-lost");
  expect_stall("stage=S5 cause=not-fetched by=timeout");
  expect_device_works();
}

TEST_F(StallTest, InFenceNobodySignals_IsNamedS1OnceAndAsInformation) {
  const Setting limit(parameters + "stall_in_fence_ms", "1000");
  const GpuBuffer gate = session().buffer(page);
  const Group blocker = session().group();
  const Group group = session().group();
  const Syncobj opened(device());
  const Syncobj done(device());
  const auto blocked =
      session().stream([&](CommandStreamBuilder& cs) { streams::wait_greater(cs, gate.va(), 0); });
  session().submit(blocker, 0, blocked, opened);
  session().submit(group, 0, store(gate.va() + 64, 1), done, {opened.wait_op()});
  EXPECT_FALSE(done.wait(3500ms));
  auto lines = stalls();
  std::erase_if(lines, [](const auto& line) { return line.find("stage=S1 ") == std::string::npos; });
  ASSERT_EQ(lines.size(), 1u) << testing::PrintToString(lines);
  EXPECT_TRUE(lines[0].starts_with("stage=S1 cause=in-fence by=stall")) << lines[0];
  EXPECT_NE(lines[0].find(" timeline="), std::string::npos) << lines[0];
  const auto waits = records(dump(), "in-fence");
  EXPECT_EQ(waits.size(), 1u);
  ASSERT_TRUE(done.wait(hang_timeout));
}

TEST_F(StallTest, BindBehindAFenceNobodySignals_IsNamedS1) {
  const Setting limit(parameters + "stall_in_fence_ms", "1000");
  const GpuBuffer gate = session().buffer(page);
  const Group blocker = session().group();
  const Syncobj opened(device());
  const Syncobj bound(device());
  const BufferObject bo(device(), page);
  const auto blocked =
      session().stream([&](CommandStreamBuilder& cs) { streams::wait_greater(cs, gate.va(), 0); });
  session().submit(blocker, 0, blocked, opened);
  vm().bind_async(BindOp::map(bo, session().address_space(page), BindFlags::noexec,
                              {opened.wait_op(), bound.signal_op()}));
  EXPECT_FALSE(bound.wait(3500ms));
  expect_stall("stage=S1 cause=bind-in-fence by=stall vm=");
  ASSERT_TRUE(bound.wait(hang_timeout));
}

/// More groups than slots, all busy, at two priorities: those that wait for their turn, much longer than the
/// limit, are no stall.
TEST_F(StallTest, WaitingForASlotIsNoStall) {
  const Setting limit(parameters + "stall_ms", "40");
  const unsigned slots = session().csif().csg_slot_count;
  std::vector<Group> groups;
  std::vector<Syncobj> done;
  const auto busy = session().stream([](CommandStreamBuilder& cs) { streams::spin(cs, 1'000'000); });
  for (unsigned i = 0; i < 3 * slots; ++i) {
    groups.push_back(session().group_of(1, i % 3 == 0 ? GroupPriority::low : GroupPriority::medium));
    for (int job = 0; job < 4; ++job) {
      done.emplace_back(device());
      session().submit(groups.back(), 0, busy, done.back());
    }
  }
  for (const Syncobj& fence : done) ASSERT_TRUE(fence.wait(120s));
  EXPECT_EQ(stalls().size(), 0u);
  for (const Group& group : groups) EXPECT_FALSE(group.state().timed_out);
}

TEST_F(StallTest, Coredump_TellsWhyAndIsComplete) {
  const std::filesystem::path dumps("/sys/class/devcoredump");
  if (!std::filesystem::exists(dumps)) GTEST_SKIP() << "the kernel has no devcoredump";
  const auto each_dump = [&](const auto& visit) {
    for (const auto& entry : std::filesystem::directory_iterator(dumps))
      if (entry.path().filename().string().starts_with("devcd")) visit(entry.path() / "data");
  };
  each_dump([](const auto& data) { std::ofstream(data) << "0" << std::flush; });
  const Group group = session().group();
  const Syncobj done(device());
  session().submit(group, 0, endless(), done);
  ASSERT_TRUE(done.wait(hang_timeout));
  std::this_thread::sleep_for(100ms);
  std::string text;
  each_dump([&](const auto& data) {
    std::stringstream content;
    content << std::ifstream(data).rdbuf();
    text = content.str();
    std::ofstream(data) << "0" << std::flush;
  });
  EXPECT_TRUE(text.starts_with("panthor-hang version=1 source=timeout ")) << text;
  ASSERT_EQ(records(text, "why").size(), 1u) << text;
  EXPECT_TRUE(records(text, "why")[0].starts_with("why stage=S6 cause=executing by=timeout")) << text;
  EXPECT_EQ(records(text, "end").size(), 1u);
  EXPECT_NE(text.find(" truncated=0\n"), std::string::npos);
}

TEST_F(StallTest, DumpShowsARunningJob) {
  const Group group = session().group_of(2);
  const Syncobj done(device());
  const auto stream = endless();
  session().submit(group, 1, stream, done);
  std::this_thread::sleep_for(100ms);
  const std::string text = dump();
  EXPECT_TRUE(text.starts_with("panthor-hang version=1 source=debugfs ")) << text;
  std::ostringstream where;
  where << " queue=1 job=";
  const auto jobs = records(text, "job");
  ASSERT_EQ(jobs.size(), 1u) << text;
  EXPECT_NE(jobs[0].find(where.str()), std::string::npos) << jobs[0];
  EXPECT_NE(jobs[0].find(" stage=S6 cause=executing wanted=1 seen=0 start=0 "), std::string::npos) << jobs[0];
  std::ostringstream address;
  address << " stream=0x" << std::hex << stream.va << ' ';
  EXPECT_NE(jobs[0].find(address.str()), std::string::npos) << jobs[0];
  EXPECT_EQ(records(text, "queue").size(), 2u);
  EXPECT_EQ(records(text, "slot").size(), session().csif().csg_slot_count);
  const auto lines = std::ranges::count(text, '\n');
  EXPECT_NE(text.find("\nend lines=" + std::to_string(lines) + " truncated=0\n"), std::string::npos) << text;
  ASSERT_TRUE(done.wait(hang_timeout));
}

}  // namespace
}  // namespace panthor::test
