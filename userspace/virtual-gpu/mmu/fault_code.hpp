// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

/// AS_FAULTSTATUS[7:0] and GPU_FAULT_STATUS[7:0]: enum drm_panthor_exception_type (panthor_device.h).
/// Codes that name a level are the base; add the level of the table the walk stopped at.
namespace vgpu::fault_code {

inline constexpr uint8_t none = 0x00, gpu_bus_fault = 0x80, translation = 0xc0, permission = 0xc8,
                         access_flag = 0xd8, address_size_in = 0xe0, address_size_out = 0xe4,
                         memory_attribute = 0xe8;

/// A translation fault stalls the access until the guest fixes it; every other fault aborts it (assumed).
[[nodiscard]] constexpr bool stalls(uint8_t code) {
  return code >= translation && code < permission;
}

}  // namespace vgpu::fault_code
