// SPDX-License-Identifier: MIT
// Device tests need a render node driven by panthor. Without one every test is skipped, stderr says so, and
// the exit status is 77.
#include <cstdio>

#include "device_test.hpp"

namespace panthor::test {
namespace {

std::optional<Device> find_device(std::string& why_not) {
  try {
    return Device::open_first();
  } catch (const std::system_error& error) {
    why_not = error.what();
    return std::nullopt;
  }
}

}  // namespace

void DeviceTest::SetUp() {
  std::string why_not;
  std::optional<Device> device = find_device(why_not);
  if (!device) GTEST_SKIP() << why_not;
  session_.emplace(*std::move(device), hang_timeout);
}

CommandStream DeviceTest::store(uint64_t va, uint32_t value) {
  return session().stream([&](CommandStreamBuilder& cs) {
    streams::store(cs, va, value);
    streams::publish(cs);
  });
}

void DeviceTest::expect_device_works() const {
  Session fresh(Device::open(device().path()), hang_timeout);
  const GpuBuffer memory = fresh.buffer(page);
  const auto stream = fresh.stream([&](CommandStreamBuilder& cs) {
    streams::store(cs, memory.va(), 0xa11fe);
    streams::publish(cs);
  });
  ASSERT_NO_THROW(fresh.run(fresh.group(), 0, stream, "job of a new group"));
  EXPECT_EQ(memory.read32(0), 0xa11feu);
}

}  // namespace panthor::test

int main(int argc, char** argv) {
  constexpr int skipped = 77;
  ::testing::InitGoogleTest(&argc, argv);
  std::string why_not;
  const bool device = panthor::test::find_device(why_not).has_value();
  const int status = RUN_ALL_TESTS();
  if (device || status != 0 || ::testing::GTEST_FLAG(list_tests)) return status;
  std::fprintf(stderr, "NOTHING WAS TESTED: %s\n", why_not.c_str());
  return skipped;
}
