// SPDX-License-Identifier: MIT
#include <filesystem>
#include <fstream>
#include <thread>

#include "device_test.hpp"

namespace panthor::test {
namespace {

class PowerTest : public DeviceTest {
 protected:
  /// runtime_status of the GPU's platform device; empty when the kernel does not show it.
  [[nodiscard]] std::string runtime_status() const {
    const std::string node = std::filesystem::path(device().path()).filename();
    std::ifstream file("/sys/class/drm/" + node + "/device/power/runtime_status");
    std::string status;
    file >> status;
    return status;
  }

  /// Lets the GPU become idle for longer than its autosuspend delay (50 ms, panthor_device_init()).
  [[nodiscard]] bool wait_for_suspend() const {
    for (int i = 0; i < 300; ++i) {
      if (runtime_status() == "suspended") return true;
      std::this_thread::sleep_for(10ms);
    }
    return false;
  }
};

TEST_F(PowerTest, JobsRunAfterEveryResume) {
  const GpuBuffer memory = session().buffer(page);
  const Group group = session().group();
  if (runtime_status().empty()) GTEST_SKIP() << "the kernel shows no runtime_status";
  for (uint32_t cycle = 1; cycle <= 10; ++cycle) {
    ASSERT_TRUE(wait_for_suspend()) << "cycle " << cycle << ": still " << runtime_status();
    session().run(group, 0, store(memory.va(), cycle), "job after a resume");
    ASSERT_EQ(memory.read32(0), cycle);
  }
}

TEST_F(PowerTest, RegistersOfAQueueOutliveASuspend) {
  if (runtime_status().empty()) GTEST_SKIP() << "the kernel shows no runtime_status";
  const GpuBuffer memory = session().buffer(page);
  const Group group = session().group();
  const auto set = session().stream([](CommandStreamBuilder& cs) { cs.move(Reg{11}, 0x1155u); });
  const auto get = session().stream([&](CommandStreamBuilder& cs) {
    streams::store(cs, memory.va(), Reg{11});
    streams::publish(cs);
  });
  session().run(group, 0, set, "job that sets");
  ASSERT_TRUE(wait_for_suspend());
  session().run(group, 0, get, "job that stores");
  EXPECT_EQ(memory.read32(0), 0x1155u);
}

TEST_F(PowerTest, MappingsOutliveASuspend) {
  if (runtime_status().empty()) GTEST_SKIP() << "the kernel shows no runtime_status";
  ASSERT_TRUE(wait_for_suspend());
  const GpuBuffer memory = session().buffer(page);  // bound while the GPU is off
  ASSERT_EQ(runtime_status(), "suspended") << "a bind alone does not resume the GPU";
  session().run(session().group(), 0, store(memory.va(), 0xb1), "store");
  EXPECT_EQ(memory.read32(0), 0xb1u);
}

TEST_F(PowerTest, FlushIdPage_ReadsOneWhileSuspended) {
  if (runtime_status().empty()) GTEST_SKIP() << "the kernel shows no runtime_status";
  const FlushIdPage flush_id(device());
  const GpuBuffer memory = session().buffer(page);
  session().run(session().group(), 0, store(memory.va(), 1), "store");
  ASSERT_TRUE(wait_for_suspend());
  EXPECT_EQ(flush_id.current(), 1u);
}

}  // namespace
}  // namespace panthor::test
