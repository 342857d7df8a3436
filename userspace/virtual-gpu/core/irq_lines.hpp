// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace vgpu {

/// The three interrupt lines of a CSF GPU, by the names the device tree uses ("job", "mmu", "gpu").
enum class IrqLine : uint8_t { job, mmu, gpu };
inline constexpr size_t irq_line_count = 3;

/// Where the model drives its level-triggered lines. A transport turns levels into whatever its guest takes.
class IrqLines {
 public:
  virtual ~IrqLines() = default;
  /// Called on every change of level, never twice with the same level.
  virtual void set_level(IrqLine line, bool asserted) = 0;
};

/// Remembers levels and counts rising edges: the transport's base and the tests' double.
class RecordedIrqLines : public IrqLines {
 public:
  void set_level(IrqLine line, bool asserted) override {
    const auto i = static_cast<size_t>(line);
    if (asserted && !level_[i]) ++rises_[i];
    level_[i] = asserted;
  }
  [[nodiscard]] bool level(IrqLine line) const { return level_[static_cast<size_t>(line)]; }
  [[nodiscard]] uint64_t rises(IrqLine line) const { return rises_[static_cast<size_t>(line)]; }

 private:
  std::array<bool, irq_line_count> level_{};
  std::array<uint64_t, irq_line_count> rises_{};
};

}  // namespace vgpu
