// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>

#include "firmware/layout.hpp"
#include "firmware/machine.hpp"

namespace vgpu::fw {

/// PERFCNT: samples of hardware counters written to a ring in memory. Panthor never uses it; the model keeps
/// the handshake (ring, INSERT, overflow) true and fills in the few numbers it knows. Block contents are
/// assumed.
class PerformanceCounters {
 public:
  static constexpr uint32_t block_size = 0x100;  ///< bytes: 64 counters of 32 bits
  static constexpr uint32_t block_count = 7;     ///< front end, tiler, L2, four shader cores
  static constexpr uint32_t sample_size = block_size * block_count;
  static constexpr uint32_t ring_samples = 8;  ///< the ring at PERFCNT_BASE (assumed)

  explicit PerformanceCounters(Machine& machine) : machine_(machine) {}

  /// GLB_CONTROL.PERFCNT_SIZE: [15:0] hardware block bytes in units of 256, [31:16] firmware block bytes.
  [[nodiscard]] static constexpr uint32_t size_register() noexcept { return sample_size >> 8; }

  void enable(bool on) noexcept { enabled_ = on; }
  /// Writes one sample; gives the new INSERT, or nothing when counters are off or the ring is full.
  std::optional<uint32_t> sample(const View<GlobalInput>& input, uint32_t insert);

 private:
  Machine& machine_;
  bool enabled_ = false;
  uint64_t last_cycles_ = 0, last_instructions_ = 0;
};

}  // namespace vgpu::fw
