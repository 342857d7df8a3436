// SPDX-License-Identifier: MIT
#include <drm/panthor_drm.h>
#include <xf86drm.h>

#include <bit>
#include <cerrno>

#include "device_test.hpp"

namespace panthor::test {
namespace {

using QueryTest = DeviceTest;

/// Raw DEV_QUERY, for what Device does not let through.
int dev_query(const Device& device, drm_panthor_dev_query& args) {
  return drmIoctl(device.fd(), DRM_IOCTL_PANTHOR_DEV_QUERY, &args) == 0 ? 0 : errno;
}

TEST_F(QueryTest, GpuInfo_DescribesACsfGpu) {
  const GpuInfo gpu = device().gpu_info();
  EXPECT_GE(gpu.arch_major(), 10u);
  EXPECT_NE(gpu.shader_present, 0u);
  EXPECT_NE(gpu.tiler_present, 0u);
  EXPECT_NE(gpu.l2_present, 0u);
  EXPECT_NE(gpu.as_present & 1, 0u) << "address space 0 is the firmware's";
  EXPECT_GE(gpu.va_bits(), 33u);
}

TEST_F(QueryTest, CsifInfo_LeavesRegistersForTheKernel) {
  const CsifInfo csif = device().csif_info();
  EXPECT_GE(csif.csg_slot_count, 2u);
  EXPECT_GE(csif.cs_slot_count, 1u);
  EXPECT_GE(csif.cs_reg_count, 96u);
  EXPECT_EQ(csif.unpreserved_cs_reg_count, 4u) << "CSF_UNPRESERVED_REG_COUNT";
  EXPECT_GE(csif.scoreboard_slot_count, 8u);
}

TEST_F(QueryTest, Timestamp_DoesNotGoBack) {
  uint64_t last = 0;
  for (int i = 0; i < 100; ++i) {
    const uint64_t now = device().timestamp_info().timestamp;
    ASSERT_GE(now, last);
    last = now;
  }
}

TEST_F(QueryTest, Timestamp_GivesOnlyWhatIsAsked) {
  if (device().version() < has_timestamp_flags) GTEST_SKIP() << "driver older than 1.8";
  const TimestampInfo cpu = device().timestamp_info(TimestampFlags::cpu_monotonic);
  EXPECT_EQ(cpu.timestamp, 0u);
  EXPECT_GT(cpu.cpu_time.count(), 0);
  const TimestampInfo gpu = device().timestamp_info(TimestampFlags::gpu);
  EXPECT_EQ(gpu.cpu_time.count(), 0);
}

TEST_F(QueryTest, Timestamp_RefusesUnknownFlags) {
  if (device().version() < has_timestamp_flags) GTEST_SKIP() << "driver older than 1.8";
  EXPECT_ERRNO(EINVAL, (void)device().timestamp_info(static_cast<TimestampFlags>(1u << 31)));
  EXPECT_ERRNO(EINVAL, (void)device().timestamp_info(TimestampFlags::cpu_monotonic |
                                                     TimestampFlags::cpu_monotonic_raw));
}

TEST_F(QueryTest, Priorities_AlwaysAllowLowAndMedium) {
  const auto info = device().group_priorities_info();
  EXPECT_TRUE(info.allows(GroupPriority::low));
  EXPECT_TRUE(info.allows(GroupPriority::medium));
}

TEST_F(QueryTest, MmuInfo_HasPagesOf4KiB) {
  if (device().version() < has_mmu_info) {
    EXPECT_ERRNO(EOPNOTSUPP, (void)device().mmu_info());
    GTEST_SKIP() << "driver older than 1.9";
  }
  EXPECT_NE(device().mmu_info().page_size_bitmap & page, 0u);
}

TEST_F(QueryTest, UnknownTypeIsRefused) {
  drm_panthor_dev_query args{.type = 0xffff, .size = 0, .pointer = 0};
  EXPECT_EQ(dev_query(device(), args), EINVAL);
  uint64_t somewhere = 0;
  args = {.type = 0xffff, .size = sizeof(somewhere), .pointer = reinterpret_cast<__u64>(&somewhere)};
  EXPECT_EQ(dev_query(device(), args), EINVAL);
}

TEST_F(QueryTest, NullPointerAsksForTheSize) {
  drm_panthor_dev_query args{.type = DRM_PANTHOR_DEV_QUERY_CSIF_INFO, .size = 0, .pointer = 0};
  EXPECT_EQ(dev_query(device(), args), 0);
  EXPECT_EQ(args.size, sizeof(drm_panthor_csif_info));
}

TEST_F(QueryTest, FaultyPointerIsRefused) {
  drm_panthor_dev_query args{
      .type = DRM_PANTHOR_DEV_QUERY_CSIF_INFO, .size = sizeof(drm_panthor_csif_info), .pointer = 8};
  EXPECT_EQ(dev_query(device(), args), EFAULT);
}

TEST_F(QueryTest, FlushIdPage_IsReadable) {
  const FlushIdPage flush_id(device());
  EXPECT_EQ(flush_id.current() & 0x7f000000, 0u) << "bits a submit does not take";
}

}  // namespace
}  // namespace panthor::test
