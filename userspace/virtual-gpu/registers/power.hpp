// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>

#include "core/event_log.hpp"
#include "core/event_queue.hpp"
#include "faults/fault_injector.hpp"
#include "registers/irq_block.hpp"
#include "registers/register_file.hpp"

namespace vgpu {

/// In the order of the register banks (SHADER_*, TILER_*, L2_*).
enum class PowerDomain : uint8_t { shader, tiler, l2 };
inline constexpr size_t power_domain_count = 3;

/// Power of the L2, the tiler and the shader cores: PWRON/PWROFF, READY, PWRTRANS, PWRACTIVE and the power
/// IRQs.
///
/// Each domain holds the cores it is asked for ("wanted", by the CPU through PWRON/PWROFF or by the MCU) and
/// moves READY there, one transition of the domain at a time:
/// - PWRTRANS shows every core that is not where it should be, also one that waits for another domain;
/// - tiler and shader cores power up only while the L2 is READY and wanted; until then they wait (assumed);
/// - asking the L2 off withdraws every request for tiler and shader; the L2 goes when they are off (assumed);
/// - a request that changes nothing has no effect and raises nothing (assumed); one that reverses a running
///   transition takes effect when that one ends (assumed);
/// - POWER_CHANGED at the end of each transition, POWER_CHANGED_ALL with it when no core is in PWRTRANS any
/// more;
/// - PWRACTIVE equals READY: a powered core counts as active (assumed).
/// Source of names and polling order: panthor_gpu.c panthor_gpu_block_power_on/off.
class PowerControl {
 public:
  /// Nanoseconds from the start of a transition to its end, by domain. Assumed values.
  struct Timing {
    std::array<uint64_t, power_domain_count> transition_ns{3'000, 2'000, 5'000};
  };

  PowerControl(RegisterFile& registers, IrqBlock& gpu_irq, EventQueue& events, FaultInjector& faults,
               EventLog& log, Timing timing);
  PowerControl(RegisterFile& registers, IrqBlock& gpu_irq, EventQueue& events, FaultInjector& faults,
               EventLog& log)
      : PowerControl(registers, gpu_irq, events, faults, log, Timing{}) {}

  /// A guest write of one word to a PWRON or PWROFF register, `offset` in bytes from the window's start.
  void write(uint32_t offset, uint32_t value);
  /// The MCU wants exactly these cores (MCU_CONTROL_AUTO), on top of what the CPU asked for. Absent cores are
  /// ignored.
  void request_from_mcu(PowerDomain domain, uint64_t cores);
  /// Everything off at once, without an IRQ.
  void reset();

  [[nodiscard]] uint64_t ready(PowerDomain domain) const noexcept;
  [[nodiscard]] uint64_t in_transition(PowerDomain domain) const noexcept;
  /// Any core READY or in transition.
  [[nodiscard]] bool anything_on() const noexcept;

  /// READY of some domain changed.
  std::function<void()> on_change;

 private:
  struct Domain {
    uint64_t ready = 0;
    uint64_t moving = 0;  ///< cores of the running transition
    uint64_t cpu_wants = 0, mcu_wants = 0;
    EventQueue::Id event = 0;
    [[nodiscard]] uint64_t wanted() const noexcept { return cpu_wants | mcu_wants; }
    [[nodiscard]] uint64_t transition() const noexcept { return moving | (wanted() ^ ready); }
  };

  [[nodiscard]] Domain& at(PowerDomain domain) noexcept { return domains_[static_cast<size_t>(domain)]; }
  [[nodiscard]] const Domain& at(PowerDomain domain) const noexcept {
    return domains_[static_cast<size_t>(domain)];
  }
  [[nodiscard]] uint64_t present(PowerDomain domain) const noexcept;
  /// Cores of `domain` whose transition may begin now.
  [[nodiscard]] uint64_t startable(PowerDomain domain) const noexcept;
  void power_on(PowerDomain domain, uint64_t cores);
  void power_off(PowerDomain domain, uint64_t cores);
  /// Starts what can start, then publishes.
  void advance();
  void finish(PowerDomain domain, uint64_t cores, bool up);
  void publish(PowerDomain domain);

  RegisterFile& registers_;
  IrqBlock& irq_;
  EventQueue& events_;
  FaultInjector& faults_;
  EventLog& log_;
  Timing timing_;
  std::array<Domain, power_domain_count> domains_{};
};

}  // namespace vgpu
