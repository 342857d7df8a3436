// SPDX-License-Identifier: MIT
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <functional>
#include <initializer_list>
#include <span>
#include <string>
#include <vector>

#include "device.hpp"
#include "firmware/layout.hpp"
#include "panthor/isa/instructions.hpp"
#include "tests/mmu/page_table.hpp"

namespace vgpu::test {

namespace isa = panthor::isa;

/// Registers as panthor names them, byte offsets.
namespace mmio {
inline constexpr uint32_t gpu_int_clear = 0x24, gpu_cmd = 0x30, l2_present = 0x120, l2_ready = 0x160,
                          l2_pwron = 0x1a0, l2_pwroff = 0x1e0, mcu_control = 0x700, mcu_status = 0x704,
                          job_int_rawstat = 0x1000, job_int_clear = 0x1004, job_int_mask = 0x1008,
                          job_int_stat = 0x100c, mmu_int_rawstat = 0x2000, mmu_int_clear = 0x2004,
                          mmu_int_mask = 0x2008, latest_flush_id = 0x1'0000;
[[nodiscard]] constexpr uint32_t doorbell(unsigned id) {
  return 0x8'0000 + id * 0x1'0000;
}
}  // namespace mmio

/// The parts of panthor that matter to the firmware, over HeapMemory and a VirtualClock: it powers up, builds
/// page tables, boots the MCU, creates groups with rings, submits streams and serves interrupts, the way
/// panthor_fw.c and panthor_sched.c do. What it does not do is decide: tests do.
class MiniDriver {
 public:
  static constexpr uint64_t ram = 0x8000'0000, ram_size = 32u << 20;
  static constexpr uint64_t ns = 1, us = 1'000, ms = 1'000'000;

  explicit MiniDriver(const DeviceOptions& options = {});

  // ---- Time
  /// Lets model time pass, running everything that falls due.
  void pass(uint64_t duration_ns);
  /// Lets time pass until `done` or until `limit_ns` is over; true when done.
  bool wait_for(const std::function<bool()>& done, uint64_t limit_ns = 100 * ms);

  // ---- Registers and memory
  [[nodiscard]] uint32_t read(uint32_t offset) { return static_cast<uint32_t>(device.read(offset, 4)); }
  void write(uint32_t offset, uint32_t value) { device.write(offset, 4, value); }
  [[nodiscard]] uint64_t allocate(uint64_t bytes);  ///< zeroed guest physical pages
  template <class T>
  [[nodiscard]] T load(uint64_t pa) {
    T value;
    std::memcpy(&value, memory.span(pa, sizeof(T)).data(), sizeof(T));
    return value;
  }
  template <class T>
  void store(uint64_t pa, T value) {
    std::memcpy(memory.span(pa, sizeof(T)).data(), &value, sizeof(T));
  }

  // ---- Bring-up (panthor_device.c, panthor_fw.c)
  void power_up();
  void power_down();
  /// panthor_vm_active(): programs address space `as` with `table`.
  void enable_as(unsigned as, PageTable& table);
  void disable_as(unsigned as);
  /// panthor_fw_start(): true when the boot interrupt came within a second.
  bool start_mcu();
  void stop_mcu() { write(mmio::mcu_control, 0); }
  void init_global_interface();
  bool halt_mcu();
  /// panthor_reload_fw_sections(): the shared section becomes zero.
  void reload_sections();
  /// Everything up to a usable device; fails the test when the MCU does not boot.
  void boot();
  void soft_reset();

  // ---- Interfaces
  template <class F>
  [[nodiscard]] F global_in(F fw::GlobalInput::*f) {
    return shared_get(fw::place::global_input, f);
  }
  template <class F>
  [[nodiscard]] F global_out(F fw::GlobalOutput::*f) {
    return shared_get(fw::place::global_output, f);
  }
  template <class F>
  [[nodiscard]] F group_in(unsigned slot, F fw::GroupInput::*f) {
    return shared_get(fw::place::group_input(slot), f);
  }
  template <class F>
  [[nodiscard]] F group_out(unsigned slot, F fw::GroupOutput::*f) {
    return shared_get(fw::place::group_output(slot), f);
  }
  template <class F>
  [[nodiscard]] F stream_in(unsigned slot, unsigned cs, F fw::StreamInput::*f) {
    return shared_get(fw::place::stream_input(slot, cs), f);
  }
  template <class F>
  [[nodiscard]] F stream_out(unsigned slot, unsigned cs, F fw::StreamOutput::*f) {
    return shared_get(fw::place::stream_output(slot, cs), f);
  }
  template <class B, class F>
  [[nodiscard]] F shared_get(uint32_t va, F B::*f) {
    return load<F>(shared_pa + (va - fw::shared_base) + offset(f));
  }
  template <class B, class F>
  void shared_set(uint32_t va, F B::*f, std::type_identity_t<F> v) {
    store<F>(shared_pa + (va - fw::shared_base) + offset(f), v);
  }
  void ring_global() { write(mmio::doorbell(0), 1); }
  void ring_groups(uint32_t mask);
  /// panthor_fw_toggle_reqs() on GLB_REQ and the wait for the acknowledgement.
  bool global_request(uint32_t bits, uint64_t limit_ns = 100 * ms);

  // ---- Address spaces and groups
  struct Vm {
    PageTable table;
    unsigned as;
    uint64_t next_va = 0x10'0000;
  };
  struct Buffer {
    uint64_t pa = 0, va = 0, size = 0;
  };
  [[nodiscard]] Vm& create_vm(unsigned as);
  Buffer create_buffer(Vm& vm, uint64_t size);
  Buffer create_fw_buffer(uint64_t size);  ///< in the MCU's address space

  struct Queue {
    Buffer ring, interface;  ///< the interface is 8 KiB: input, output at 4 KiB
    uint64_t insert = 0, seqno = 0;
  };
  struct Group {
    Vm* vm = nullptr;
    std::vector<Queue> queues;
    Buffer syncobjs;  ///< 16 bytes a queue: seqno, status
    Buffer suspend;
    uint32_t endpoints = fw::EndpointRequest{.compute = 4, .fragment = 4, .tiler = 1}.encode();
    uint64_t cores = 0x50005;
    int slot = -1;
  };
  Group create_group(Vm& vm, unsigned queues, uint32_t ring_size = 65536);
  /// csg_slot_prog_locked() and CSG_STATE `state` (START or RESUME); true when acknowledged.
  bool place(Group& group, unsigned slot, uint32_t state = fw::csg::state_start, uint32_t priority = 8);
  /// CSG_STATE_SUSPEND or TERMINATE; true when acknowledged within 100 ms, then the group has no slot.
  bool evict(Group& group, uint32_t state = fw::csg::state_suspend);
  bool request_state(unsigned slot, uint32_t state, uint64_t limit_ns = 100 * ms);
  bool status_update(unsigned slot);

  /// Puts `stream` in the ring as a job: call, sync add, error barrier (prepare_job_instrs()). Gives its
  /// seqno.
  uint64_t submit(Group& group, unsigned queue, std::span<const uint64_t> stream, bool ring_doorbell = true) {
    return submit_at(group, queue, prepare(group, stream), ring_doorbell);
  }
  uint64_t submit(Group& group, unsigned queue, std::initializer_list<uint64_t> stream,
                  bool ring_doorbell = true) {
    return submit(group, queue, std::span(stream.begin(), stream.size()), ring_doorbell);
  }
  /// Code in memory of its own, and a job that calls it.
  struct Code {
    uint64_t va;
    uint32_t size;  ///< bytes
  };
  Code prepare(Group& group, std::span<const uint64_t> stream);
  Code prepare(Group& group, std::initializer_list<uint64_t> stream) {
    return prepare(group, std::span(stream.begin(), stream.size()));
  }
  uint64_t submit_at(Group& group, unsigned queue, Code code, bool ring_doorbell = true);
  [[nodiscard]] uint64_t done_seqno(const Group& group, unsigned queue);
  [[nodiscard]] uint32_t job_status(const Group& group, unsigned queue);
  bool wait_job(const Group& group, unsigned queue, uint64_t seqno, uint64_t limit_ns = 100 * ms) {
    return wait_for([&] { return done_seqno(group, queue) >= seqno; }, limit_ns);
  }
  [[nodiscard]] uint64_t ring_extract(const Group& group, unsigned queue) {
    return load<uint64_t>(group.queues[queue].interface.pa + 4096);
  }

  /// What the interrupts said since the last look: per group slot, CSG events and CS events, acknowledged.
  struct Events {
    uint32_t csg = 0;
    std::array<uint32_t, fw::cs_count> cs{};
  };
  Events take_events(unsigned slot, bool answer_oom = false);
  [[nodiscard]] uint32_t take_global_events();
  [[nodiscard]] std::string log_text();

  HeapMemory memory{ram, ram_size};
  VirtualClock clock;
  EventLog log{clock};
  RecordedIrqLines lines;
  Device device;
  uint64_t shared_pa = 0;
  Vm mcu_vm;

 private:
  template <class B, class F>
  static uint64_t offset(F B::*f) {
    static constexpr B block{};
    return static_cast<uint64_t>(reinterpret_cast<const std::byte*>(&(block.*f)) -
                                 reinterpret_cast<const std::byte*>(&block));
  }
  uint64_t take_pages(uint64_t bytes);

  uint64_t next_pa_;
  std::vector<std::unique_ptr<Vm>> vms_;
};

/// A device that has booted.
class BootedTest : public testing::Test {
 protected:
  BootedTest() { gpu.boot(); }
  MiniDriver gpu;
};

}  // namespace vgpu::test
