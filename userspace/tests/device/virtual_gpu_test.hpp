// SPDX-License-Identifier: MIT
#pragma once

#include <fstream>

#include "device_test.hpp"

namespace panthor::test {

/// Where the guest orders the virtual GPU's faults (debugfs); no board has it.
inline constexpr const char* virtual_gpu_control = "/sys/kernel/debug/panthor_vgpu/control";

/// What nobody's board shall suffer, or only failing hardware shows: skipped elsewhere.
class VirtualGpuTest : public DeviceTest {
 protected:
  void SetUp() override {
    DeviceTest::SetUp();
    if (!IsSkipped() && !std::ofstream(virtual_gpu_control))
      GTEST_SKIP() << "no " << virtual_gpu_control << ": not the virtual GPU";
  }
};

}  // namespace panthor::test
