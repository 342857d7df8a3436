// SPDX-License-Identifier: MIT
#include "panthor/device.hpp"

#include <gtest/gtest.h>

#include <cerrno>
#include <system_error>

#include "null_device.hpp"
#include "panthor/flush_id_page.hpp"
#include "panthor/syncobj.hpp"
#include "panthor/virtual_memory.hpp"

namespace panthor {
namespace {

Device null_device(DriverVersion version) {
  return {std::make_shared<const DrmFile>("/dev/null"), version};
}

template <typename Call>
std::system_error error_of(Call&& call) {
  try {
    call();
  } catch (const std::system_error& error) {
    return error;
  }
  ADD_FAILURE() << "nothing thrown";
  return {0, std::generic_category()};
}

TEST(Device, MissingNodeNamesThePath) {
  const auto error = error_of([] { (void)Device::open("/nonexistent/renderD0"); });
  EXPECT_EQ(error.code().value(), ENOENT);
  EXPECT_STREQ(error.what(), "open(/nonexistent/renderD0): No such file or directory");
}

TEST(Device, NodeThatIsNotDrmSaysSo) {
  const auto error = error_of([] { (void)Device::open("/dev/null"); });
  EXPECT_NE(std::string(error.what()).find("DRM_IOCTL_VERSION(/dev/null)"), std::string::npos)
      << error.what();
}

TEST(Device, FailedIoctlNamesItAndItsArguments) {
  const Device device = null_device({1, 9, 0});
  const std::string why = ": " + std::system_category().message(null_device_errno());
  EXPECT_EQ(error_of([&] { VirtualMemory vm(device, 0x1000); }).what(),
            "DRM_IOCTL_PANTHOR_VM_CREATE(user_va_range=0x1000)" + why);
  EXPECT_EQ(error_of([&] { BufferObject bo(device, 0x2000, BoFlags::no_mmap); }).what(),
            "DRM_IOCTL_PANTHOR_BO_CREATE(size=0x2000, flags=0x1, exclusive_vm=0)" + why);
  EXPECT_EQ(error_of([&] { (void)device.mmu_info(); }).what(),
            "DRM_IOCTL_PANTHOR_DEV_QUERY(type=MMU_INFO)" + why);
  EXPECT_EQ(error_of([&] { Syncobj fence(device); }).what(), "DRM_IOCTL_SYNCOBJ_CREATE(flags=0x0)" + why);
}

TEST(Device, FeatureOfANewerDriverIsRefusedByName) {
  const Device device = null_device({1, 7, 0});
  const auto error = error_of([&] { (void)device.mmu_info(); });
  EXPECT_EQ(error.code().value(), EOPNOTSUPP);
  EXPECT_STREQ(error.what(), "MMU_INFO needs panthor 1.9.0, /dev/null has 1.7.0: Operation not supported");
  EXPECT_EQ(error_of([&] { (void)device.timestamp_info(TimestampFlags::gpu); }).code().value(), EOPNOTSUPP);
}

TEST(DriverVersion, OrdersByMajorThenMinor) {
  EXPECT_LT((DriverVersion{1, 7, 9}), (DriverVersion{1, 8, 0}));
  EXPECT_LT((DriverVersion{1, 10, 0}), (DriverVersion{2, 0, 0}));
  EXPECT_EQ(to_string(DriverVersion{1, 8, 0}), "1.8.0");
}

TEST(GpuInfo, SplitsTheIdOfAG610) {
  constexpr GpuInfo gpu{.gpu_id = 0xa8670005, .mmu_features = 0x2830};
  static_assert(gpu.arch_major() == 10 && gpu.arch_minor() == 8 && gpu.arch_rev() == 6);
  static_assert(gpu.product_major() == 7 && gpu.version_status() == 5);
  static_assert(gpu.va_bits() == 48 && gpu.pa_bits() == 40);
}

}  // namespace
}  // namespace panthor
