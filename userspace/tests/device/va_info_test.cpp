// SPDX-License-Identifier: MIT
#include <cerrno>

#include "device_test.hpp"

namespace panthor::test {
namespace {

class VaInfoTest : public DeviceTest {
 protected:
  void SetUp() override {
    DeviceTest::SetUp();
    if (IsSkipped()) return;
    info_ = device().va_info();
    if (!info_) GTEST_SKIP() << "kernel without the series \"heap\"";
  }

  [[nodiscard]] const VaInfo& info() const { return *info_; }

 private:
  std::optional<VaInfo> info_;
};

TEST_F(VaInfoTest, AgreesWithTheGpu) {
  EXPECT_EQ(info().va_bits, device().gpu_info().va_bits());
  EXPECT_EQ(info().max_user_va_range + info().min_kernel_va_range, 1ull << info().va_bits);
  EXPECT_NE(info().page_size_bitmap & page, 0u);
  if (device().version() >= has_mmu_info) {
    EXPECT_EQ(info().page_size_bitmap, device().mmu_info().page_size_bitmap);
  }
}

TEST_F(VaInfoTest, LimitsOfTheUserRangeAreWhatVmCreateDoes) {
  EXPECT_EQ(VirtualMemory(device(), info().max_user_va_range).user_va_range(), info().max_user_va_range);
  EXPECT_ERRNO(EINVAL, VirtualMemory(device(), info().max_user_va_range + page));
  EXPECT_EQ(VirtualMemory(device()).user_va_range(), info().default_user_va_range);
}

TEST_F(VaInfoTest, DefaultHeapIsWhatVmCreateMakes) {
  if (!has(info().features, VaFeatures::heap)) GTEST_SKIP() << "no heaps";
  const VirtualMemory vm(device(), 0, VaHeap{});
  ASSERT_TRUE(vm.heap());
  EXPECT_EQ(vm.heap()->start, info().default_heap_start);
  EXPECT_EQ(vm.heap()->size, info().default_heap_size);
  EXPECT_GT(vm.heap()->size, 1ull << 40) << "far above 4 GiB";
}

}  // namespace
}  // namespace panthor::test
