// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

namespace vgpu {

/// What the register layer tells whoever plays the microcontroller, without knowing who that is.
class McuPort {
 public:
  virtual ~McuPort() = default;
  /// Guest wrote MCU_CONTROL (0 disable, 1 enable, 2 auto). The MCU reports back through MCU_STATUS.
  virtual void mcu_control(uint32_t value) = 0;
  /// Guest rang doorbell page `id` (0 = global, 1.. = user doorbells).
  virtual void doorbell(unsigned id) = 0;
  /// GPU reset: all MCU and command-stream state is lost, sections in memory stay.
  virtual void gpu_reset() = 0;
  /// READY of the L2, the tiler or a shader core changed.
  virtual void power_changed() {}
};

/// What the firmware layer may ask of the register layer.
class GpuPort {
 public:
  virtual ~GpuPort() = default;
  virtual void set_mcu_status(uint32_t value) = 0;  ///< MCU_STATUS_*, raises GPU_IRQ_MCU_STATUS_CHANGED
  virtual void raise_job_irq(uint32_t bits) = 0;    ///< JOB_INT bits: 31 global, 0..30 CSG slots
  virtual void request_shader_power(
      uint64_t core_mask) = 0;  ///< MCU owns shader and tiler power (MCU_CONTROL_AUTO)
  virtual void request_tiler_power(bool on) = 0;
  [[nodiscard]] virtual bool powered() const = 0;  ///< L2 is READY; without it nothing executes
  [[nodiscard]] virtual uint64_t shader_ready() const = 0;
  [[nodiscard]] virtual uint64_t cycle_count() const = 0;  ///< GPU core cycles
  [[nodiscard]] virtual uint64_t timestamp() const = 0;    ///< 24 MHz system counter plus TIMESTAMP_OFFSET
  [[nodiscard]] virtual uint64_t core_clock_hz() const = 0;
  [[nodiscard]] virtual uint64_t timestamp_hz() const = 0;
  /// A CS cache flush: bumps LATEST_FLUSH_ID (never to 0) and calls back when done. Returns the new flush id.
  virtual uint32_t flush_caches() = 0;
  [[nodiscard]] virtual uint32_t latest_flush_id() const = 0;
};

}  // namespace vgpu
