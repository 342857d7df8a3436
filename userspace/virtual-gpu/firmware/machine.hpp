// SPDX-License-Identifier: MIT
#pragma once

#include "core/event_log.hpp"
#include "core/event_queue.hpp"
#include "faults/fault_injector.hpp"
#include "firmware/job_model.hpp"
#include "firmware/mcu_memory.hpp"
#include "mmu/mmu.hpp"
#include "registers/mcu_port.hpp"

namespace vgpu::fw {

/// What every part of the firmware works with. References only: the device owns it all.
struct Machine {
  Mmu& mmu;
  GpuPort& gpu;
  EventQueue& events;
  FaultInjector& faults;
  EventLog& log;
  McuMemory& memory;
  JobModel& jobs;
};

}  // namespace vgpu::fw
