// SPDX-License-Identifier: MIT
// Every feature of a newer driver is refused by name, before the kernel is asked.
#include <gtest/gtest.h>

#include <cerrno>
#include <system_error>

#include "null_device.hpp"
#include "panthor/panthor.hpp"

namespace panthor {
namespace {

struct Gate {
  const char* name;
  DriverVersion since;
  void (*use)(const Device& device);
};

void PrintTo(const Gate& gate, std::ostream* out) {
  *out << gate.name;
}

/// On /dev/null an ioctl that is issued fails with null_device_errno(), and one that is held back with
/// EOPNOTSUPP.
class VersionGate : public ::testing::TestWithParam<Gate> {
 protected:
  static int errno_on(DriverVersion version) {
    try {
      GetParam().use({std::make_shared<const DrmFile>("/dev/null"), version});
    } catch (const std::system_error& error) {
      return error.code().value();
    }
    return 0;
  }
};

TEST_P(VersionGate, OpensWithItsVersion) {
  const DriverVersion since = GetParam().since;
  EXPECT_EQ(errno_on({since.major, since.minor - 1, 9}), EOPNOTSUPP);
  EXPECT_EQ(errno_on(since), null_device_errno());
  EXPECT_EQ(errno_on({since.major, since.minor + 1, 0}), null_device_errno());
}

const Gate gates[] = {
    {"TimestampInfo", {1, 1, 0}, [](const Device& device) { (void)device.timestamp_info(); }},
    {"GroupPriorities", {1, 2, 0}, [](const Device& device) { (void)device.group_priorities_info(); }},
    {"UserMmioOffset",
     {1, 5, 0},
     [](const Device& device) { device.set_user_mmio_offset(UserMmioOffset::bits32); }},
    {"WriteBackMmap", {1, 7, 0}, [](const Device& device) { BufferObject(device, 1, BoFlags::wb_mmap); }},
    {"BoSync", {1, 7, 0}, [](const Device& device) { sync_buffers(device, {}); }},
    {"TimestampFlags",
     {1, 8, 0},
     [](const Device& device) { (void)device.timestamp_info(TimestampFlags::gpu); }},
    {"MmuInfo", {1, 9, 0}, [](const Device& device) { (void)device.mmu_info(); }},
};

INSTANTIATE_TEST_SUITE_P(Libpanthor, VersionGate, ::testing::ValuesIn(gates),
                         [](const auto& gate) { return std::string(gate.param.name); });

}  // namespace
}  // namespace panthor
