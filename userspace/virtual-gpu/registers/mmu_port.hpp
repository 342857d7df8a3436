// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>

namespace vgpu {

/// What the register layer tells the MMU, without knowing how it translates.
class MmuPort {
 public:
  virtual ~MmuPort() = default;
  /// A guest write of one word to an AS register; `offset` in bytes from MMU_AS_BASE (0x2400).
  virtual void write_register(uint32_t offset, uint32_t value) = 0;
  /// GPU reset: every address space is unmapped, TLBs are empty, MMU_INT is clear and masked.
  virtual void reset() = 0;
  /// Some address space has a fault the guest has not dealt with (GPU_STATUS.PAGE_FAULT).
  [[nodiscard]] virtual bool fault_pending() const = 0;

  /// A translated access, or the walk itself, hit a physical address nobody answers: DRM_PANTHOR_EXCEPTION_*
  /// and the physical address. The register layer reports it in GPU_FAULT_STATUS.
  std::function<void(uint8_t exception, uint64_t address)> on_bus_fault;
};

}  // namespace vgpu
