// SPDX-License-Identifier: MIT
#pragma once

#include <fstream>
#include <string>

#include "device_test.hpp"

namespace panthor::test {

/// Where the guest orders the virtual GPU's faults (debugfs); no board has it.
inline constexpr const char* virtual_gpu_control = "/sys/kernel/debug/panthor_vgpu/control";

/// Arms a fault of the catalogue, NAME[:after=N][:count=N]; skips the test where there is no virtual GPU.
inline void arm_fault(const std::string& spec) {
  std::ofstream file(virtual_gpu_control);
  if (!file) GTEST_SKIP() << "no " << virtual_gpu_control << ": not the virtual GPU";
  file << "fault arm " << spec << std::endl;
  ASSERT_TRUE(file) << "could not arm " << spec;
}

inline void disarm_fault(const std::string& name) {
  std::ofstream(virtual_gpu_control) << "fault disarm " << name << std::endl;
}

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
