// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <cerrno>

#include "ioctl.hpp"

namespace panthor {
namespace {

TEST(CallError, HasNameArgumentsAndReason) {
  const auto error = call_error(EINVAL, "DRM_IOCTL_PANTHOR_VM_BIND", "vm=1, ops=1");
  EXPECT_STREQ(error.what(), "DRM_IOCTL_PANTHOR_VM_BIND(vm=1, ops=1): Invalid argument");
  EXPECT_EQ(error.code(), std::errc::invalid_argument);
}

TEST(ObjectArray, CarriesStrideAndCount) {
  const std::vector<drm_panthor_vm_bind_op> ops(3);
  const auto array = object_array(ops);
  EXPECT_EQ(array.stride, sizeof(drm_panthor_vm_bind_op));
  EXPECT_EQ(array.count, 3u);
  EXPECT_EQ(array.array, reinterpret_cast<uint64_t>(ops.data()));
}

}  // namespace
}  // namespace panthor
