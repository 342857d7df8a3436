// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <memory>

#include "firmware/endpoints.hpp"
#include "firmware/global_interface.hpp"
#include "firmware/group_slot.hpp"
#include "firmware/image.hpp"
#include "firmware/machine.hpp"
#include "firmware/power_policy.hpp"
#include "registers/mcu_port.hpp"

namespace vgpu::fw {

/// The microcontroller and the firmware on it, as the driver sees them: MCU_CONTROL, MCU_STATUS, the boot,
/// the interfaces in shared memory, the groups.
///
/// Started without a powered L2 it waits for it: panthor writes MCU_CONTROL right after the power-on request
/// and never looks at L2_READY (panthor_gpu.c panthor_gpu_block_power_on()).
class Mcu final : public McuPort, private GroupHost {
 public:
  /// `image` may be null: then only the shared section is known, and only that is checked at boot.
  Mcu(GpuPort& gpu, Mmu& mmu, EventQueue& events, FaultInjector& faults, EventLog& log, JobModel& jobs,
      const Image* image = nullptr);
  ~Mcu() override;

  void mcu_control(uint32_t value) override;
  void doorbell(unsigned id) override;
  void gpu_reset() override;
  void power_changed() override;
  /// Mmu::on_resume.
  void address_space_resumed(unsigned as);

  [[nodiscard]] bool running() const noexcept { return state_ == State::running; }
  [[nodiscard]] const GroupSlot& group(unsigned csg) const { return *groups_[csg]; }

 private:
  enum class State : uint8_t {
    off,
    booting,
    waiting_for_power,
    running,
    sleeping,
    halting,
    halted,
    fatal,
    hung
  };

  void start_boot();
  void boot();
  [[nodiscard]] bool sections_mapped();
  void stop(State next);
  void die(std::string_view why);
  void begin_halt();
  void sleep();
  void wake();
  void evaluate();

  void sync_objects_changed() override;
  void sync_wait_began() override;
  void activity_changed() override;
  [[nodiscard]] uint64_t idle_hysteresis_ns() const override { return global_.idle_hysteresis_ns(); }
  [[nodiscard]] uint64_t progress_timeout_ns() const override { return global_.progress_timeout_ns(); }
  void look_at_memory();
  void poll();

  McuMemory memory_;
  Machine machine_;
  EndpointPool endpoints_;
  PowerPolicy power_;
  GlobalInterface global_;
  std::array<std::unique_ptr<GroupSlot>, csg_count> groups_;
  const Image* image_;
  State state_ = State::off;
  bool cold_ = true;     ///< nothing has been published since the last GPU reset
  bool active_ = false;  ///< some group was active when last looked at
  EventQueue::Id boot_event_ = 0, evaluate_event_ = 0, wake_event_ = 0, poll_event_ = 0, idle_event_ = 0,
                 fault_event_ = 0;
};

}  // namespace vgpu::fw
