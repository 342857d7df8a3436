// SPDX-License-Identifier: MIT
#include "tests/device/mini_driver.hpp"

#include <algorithm>

namespace vgpu::test {
namespace {

using fw::csg_count;
using GI = fw::GroupInput;
using GO = fw::GroupOutput;
using SI = fw::StreamInput;
using SO = fw::StreamOutput;

constexpr uint64_t table_pool = 4u << 20;  // bytes of RAM for the page tables of one VM
/// panthor_mmu.c: 4 KiB granule, 48-bit VA.
constexpr uint64_t transcfg = 6 | 7u << 6 | 2u << 24 | 1u << 30;
constexpr unsigned scratch = 92;  // the four registers a job may not keep: CSF_UNPRESERVED_REG_COUNT

}  // namespace

MiniDriver::MiniDriver(const DeviceOptions& options)
    : device(memory, lines, clock, log, options),
      mcu_vm{PageTable(memory, ram), 0, fw::shared_base + 0x10'0000},
      next_pa_(ram + table_pool) {
  shared_pa = allocate(fw::shared_size);
  for (uint64_t o = 0; o < fw::shared_size; o += 4096) mcu_vm.table.map(fw::shared_base + o, shared_pa + o);
  write(mmio::job_int_clear, ~0u);
  write(mmio::job_int_mask, ~0u);
  write(mmio::mmu_int_mask, ~0u);
}

void MiniDriver::pass(uint64_t duration_ns) {
  const uint64_t end = clock.now_ns() + duration_ns;
  while (true) {
    device.events().run_due();
    const auto next = device.events().next_deadline_ns();
    if (!next || *next > end) break;
    clock.advance_to(*next);
  }
  clock.advance_to(end);
}

bool MiniDriver::wait_for(const std::function<bool()>& done, uint64_t limit_ns) {
  const uint64_t end = clock.now_ns() + limit_ns;
  while (!done()) {
    device.events().run_due(1);
    if (done()) return true;
    const auto next = device.events().next_deadline_ns();
    if (!next || *next > end) {
      clock.advance_to(end);
      return done();
    }
    clock.advance_to(*next);
  }
  return true;
}

uint64_t MiniDriver::allocate(uint64_t bytes) {
  return take_pages(bytes);
}

uint64_t MiniDriver::take_pages(uint64_t bytes) {
  const uint64_t pa = next_pa_;
  next_pa_ += (bytes + 4095) / 4096 * 4096;
  if (next_pa_ > ram + ram_size) throw std::out_of_range("the test's guest RAM is used up");
  return pa;
}

// ---- Bring-up

void MiniDriver::power_up() {
  write(mmio::l2_pwron, 1);
  wait_for([&] { return read(mmio::l2_ready) == 1; });
}

void MiniDriver::power_down() {
  write(mmio::l2_pwroff, 1);
  wait_for([&] { return read(mmio::l2_ready) == 0; });
}

void MiniDriver::enable_as(unsigned as, PageTable& table) {
  const uint32_t base = 0x2400 + as * 0x40;
  device.write(base, 8, table.root());
  device.write(base + 0x08, 8, 0);
  device.write(base + 0x30, 8, transcfg);
  write(base + 0x18, 1);
  wait_for([&] { return read(base + 0x28) == 0; });
}

void MiniDriver::disable_as(unsigned as) {
  const uint32_t base = 0x2400 + as * 0x40;
  device.write(base, 8, 0);
  device.write(base + 0x08, 8, 0);
  device.write(base + 0x30, 8, 1);
  write(base + 0x18, 1);
  wait_for([&] { return read(base + 0x28) == 0; });
}

bool MiniDriver::start_mcu() {
  write(mmio::job_int_clear, ~0u);
  write(mmio::mcu_control, 2);
  const bool booted =
      wait_for([&] { return (read(mmio::job_int_stat) & fw::job_irq_global) != 0; }, 1000 * ms);
  write(mmio::job_int_clear, ~0u);
  return booted;
}

void MiniDriver::init_global_interface() {
  using GlbIn = fw::GlobalInput;
  const uint32_t in = fw::place::global_input;
  shared_set(in, &GlbIn::core_en_mask, 0x50005);
  shared_set(in, &GlbIn::poweroff_timer, fw::glb::timer_counts_cycles | 9766);  // 10 ms at 1 GHz
  shared_set(in, &GlbIn::progress_timer, 5 * 500 * 1024);
  shared_set(in, &GlbIn::idle_timer, fw::glb::timer_counts_cycles | 782);  // 800 us
  shared_set(in, &GlbIn::ack_irq_mask,
             fw::glb::cfg_alloc_en | fw::glb::ping | fw::glb::cfg_progress_timer |
                 fw::glb::cfg_poweroff_timer | fw::glb::idle_en | fw::glb::idle);
  const uint32_t toggled = fw::glb::cfg_alloc_en | fw::glb::cfg_poweroff_timer | fw::glb::cfg_progress_timer;
  const uint32_t level = fw::glb::idle_en | fw::glb::counter_en;
  const uint32_t req = global_in(&GlbIn::req), ack = global_out(&fw::GlobalOutput::ack);
  shared_set(in, &GlbIn::req, (req & ~(toggled | level)) | level | (~ack & toggled));
  ring_global();
}

bool MiniDriver::halt_mcu() {
  shared_set(fw::place::global_input, &fw::GlobalInput::req,
             global_in(&fw::GlobalInput::req) | fw::glb::halt);
  ring_global();
  return wait_for([&] { return read(mmio::mcu_status) == 2; }, 1000 * ms);
}

void MiniDriver::reload_sections() {
  const auto bytes = memory.span(shared_pa, fw::shared_size);
  std::fill(bytes.begin(), bytes.end(), std::byte{0});
}

void MiniDriver::boot() {
  power_up();
  enable_as(0, mcu_vm.table);
  ASSERT_TRUE(start_mcu());
  init_global_interface();
  pass(100 * us);
}

void MiniDriver::soft_reset() {
  write(mmio::gpu_int_clear, 1u << 8);
  write(mmio::gpu_cmd, 1 | 1 << 8);
  wait_for([&] { return (read(0x20) & 1u << 8) != 0; });
  write(mmio::job_int_mask, ~0u);
  write(mmio::mmu_int_mask, ~0u);
}

// ---- Requests

void MiniDriver::ring_groups(uint32_t mask) {
  const uint32_t req = global_in(&fw::GlobalInput::doorbell_req),
                 ack = global_out(&fw::GlobalOutput::doorbell_ack);
  shared_set(fw::place::global_input, &fw::GlobalInput::doorbell_req, (req & ~mask) | (~ack & mask));
  ring_global();
}

bool MiniDriver::global_request(uint32_t bits, uint64_t limit_ns) {
  const uint32_t req = global_in(&fw::GlobalInput::req), ack = global_out(&fw::GlobalOutput::ack);
  const uint32_t wanted = (req & ~bits) | (~ack & bits);
  shared_set(fw::place::global_input, &fw::GlobalInput::req, wanted);
  ring_global();
  return wait_for([&] { return ((global_out(&fw::GlobalOutput::ack) ^ wanted) & bits) == 0; }, limit_ns);
}

bool MiniDriver::request_state(unsigned slot, uint32_t state, uint64_t limit_ns) {
  const uint32_t in = fw::place::group_input(slot);
  shared_set(in, &GI::req, (group_in(slot, &GI::req) & ~fw::csg::state_mask) | state);
  ring_groups(1u << slot);
  return wait_for([&] { return (group_out(slot, &GO::ack) & fw::csg::state_mask) == state; }, limit_ns);
}

bool MiniDriver::status_update(unsigned slot) {
  const uint32_t bit = fw::csg::status_update;
  const uint32_t req = group_in(slot, &GI::req), ack = group_out(slot, &GO::ack);
  const uint32_t wanted = (req & ~bit) | (~ack & bit);
  shared_set(fw::place::group_input(slot), &GI::req, wanted);
  ring_groups(1u << slot);
  return wait_for([&] { return ((group_out(slot, &GO::ack) ^ wanted) & bit) == 0; });
}

// ---- Address spaces and groups

MiniDriver::Vm& MiniDriver::create_vm(unsigned as) {
  vms_.push_back(std::make_unique<Vm>(Vm{PageTable(memory, take_pages(1u << 20)), as}));
  enable_as(as, vms_.back()->table);
  return *vms_.back();
}

MiniDriver::Buffer MiniDriver::create_buffer(Vm& vm, uint64_t size) {
  size = (size + 4095) / 4096 * 4096;
  const Buffer b{take_pages(size), vm.next_va, size};
  for (uint64_t o = 0; o < size; o += 4096) vm.table.map(b.va + o, b.pa + o);
  vm.next_va += size + 4096;
  return b;
}

MiniDriver::Buffer MiniDriver::create_fw_buffer(uint64_t size) {
  return create_buffer(mcu_vm, size);
}

MiniDriver::Group MiniDriver::create_group(Vm& vm, unsigned queues, uint32_t ring_size) {
  Group g;
  g.vm = &vm;
  g.syncobjs = create_buffer(vm, 4096);
  g.suspend = create_fw_buffer(shared_get(fw::place::group_control(0), &fw::GroupControl::suspend_size));
  for (unsigned i = 0; i < queues; ++i)
    g.queues.push_back({.ring = create_buffer(vm, ring_size), .interface = create_fw_buffer(8192)});
  return g;
}

bool MiniDriver::place(Group& group, unsigned slot, uint32_t state, uint32_t priority) {
  group.slot = static_cast<int>(slot);
  uint32_t mask = 0;
  for (unsigned cs = 0; cs < group.queues.size(); ++cs) {
    const Queue& q = group.queues[cs];
    const uint32_t in = fw::place::stream_input(slot, cs);
    store<uint64_t>(q.interface.pa + 8,
                    load<uint64_t>(q.interface.pa + 4096));  // input.extract = output.extract
    shared_set(in, &SI::ringbuf_base, q.ring.va);
    shared_set(in, &SI::ringbuf_size, static_cast<uint32_t>(q.ring.size));
    shared_set(in, &SI::ringbuf_input, q.interface.va);
    shared_set(in, &SI::ringbuf_output, q.interface.va + 4096);
    shared_set(in, &SI::config, 1u << 0 | (slot + 1) << 8);
    shared_set(in, &SI::ack_irq_mask, ~0u);
    const uint32_t bits = fw::cs_bits::idle_sync_wait | fw::cs_bits::idle_empty | fw::cs_bits::state_mask;
    shared_set(in, &SI::req,
               (stream_in(slot, cs, &SI::req) & ~bits) | fw::cs_bits::idle_sync_wait |
                   fw::cs_bits::idle_empty | fw::cs_bits::state_start);
    mask |= 1u << cs;
  }
  const uint32_t in = fw::place::group_input(slot);
  shared_set(in, &GI::allow_compute, group.cores);
  shared_set(in, &GI::allow_fragment, group.cores);
  shared_set(in, &GI::allow_other, 1);
  shared_set(in, &GI::endpoint_req, (group.endpoints & 0x0fff'ffff) | priority << 28);
  shared_set(in, &GI::config, group.vm->as);
  shared_set(in, &GI::suspend_buf, group.suspend.va);
  shared_set(in, &GI::ack_irq_mask, ~0u);
  shared_set(in, &GI::doorbell_req,
             (group_in(slot, &GI::doorbell_req) & ~mask) | (~group_out(slot, &GO::doorbell_ack) & mask));
  const uint32_t ep = fw::csg::endpoint_config;
  shared_set(in, &GI::req, (group_in(slot, &GI::req) & ~ep) | (~group_out(slot, &GO::ack) & ep));
  return request_state(slot, state);
}

bool MiniDriver::evict(Group& group, uint32_t state) {
  const auto slot = static_cast<unsigned>(group.slot);
  if (!request_state(slot, state)) return false;
  // Reset the queue slots: csg_slot_sync_state_locked().
  for (unsigned cs = 0; cs < group.queues.size(); ++cs)
    shared_set(fw::place::stream_input(slot, cs), &SI::req,
               stream_in(slot, cs, &SI::req) & ~fw::cs_bits::state_mask);
  group.slot = -1;
  return true;
}

MiniDriver::Code MiniDriver::prepare(Group& group, std::span<const uint64_t> stream) {
  const Buffer code = create_buffer(*group.vm, std::max<uint64_t>(stream.size_bytes(), 8));
  std::memcpy(memory.span(code.pa, stream.size_bytes()).data(), stream.data(), stream.size_bytes());
  return {code.va, static_cast<uint32_t>(stream.size_bytes())};
}

uint64_t MiniDriver::submit_at(Group& group, unsigned queue, Code code, bool ring_doorbell) {
  Queue& q = group.queues[queue];
  const unsigned address = scratch, value = scratch + 2;
  std::vector<uint64_t> job{
      isa::move32(value, 0),
      isa::flush_cache2(isa::FlushMode::clean_invalidate, isa::FlushMode::clean_invalidate,
                        isa::OtherFlushMode::invalidate, value),
      isa::move48(address, code.va),
      isa::move32(value, code.size),
      isa::wait(1),
      isa::call(address, value),
      isa::move48(address, group.syncobjs.va + queue * 16),
      isa::move48(value, 1),
      isa::wait(0xff),
      isa::sync_add64(address, value, isa::Scope::system, true),
      isa::error_barrier(),
  };
  job.resize((job.size() + 7) / 8 * 8, isa::nop());
  for (const uint64_t word : job) {
    store<uint64_t>(q.ring.pa + (q.insert & (q.ring.size - 1)), word);
    q.insert += 8;
  }
  store<uint64_t>(q.interface.pa, q.insert);
  if (ring_doorbell && group.slot >= 0) write(mmio::doorbell(static_cast<unsigned>(group.slot) + 1), 1);
  return ++q.seqno;
}

uint64_t MiniDriver::done_seqno(const Group& group, unsigned queue) {
  return load<uint64_t>(group.syncobjs.pa + queue * 16);
}

uint32_t MiniDriver::job_status(const Group& group, unsigned queue) {
  return load<uint32_t>(group.syncobjs.pa + queue * 16 + 8);
}

// ---- Events

/// sched_process_csg_irq_locked().
MiniDriver::Events MiniDriver::take_events(unsigned slot, bool answer_oom) {
  Events events;
  write(mmio::job_int_clear, 1u << slot);
  const uint32_t in = fw::place::group_input(slot);
  const uint32_t req = group_in(slot, &GI::req), ack = group_out(slot, &GO::ack);
  const uint32_t irq_req = group_out(slot, &GO::cs_irq_req), irq_ack = group_in(slot, &GI::cs_irq_ack);
  constexpr uint32_t mask = fw::csg::sync_update | fw::csg::idle | fw::csg::progress_timer_event;
  events.csg = (req ^ ack) & mask;
  shared_set(in, &GI::cs_irq_ack, irq_req);
  shared_set(in, &GI::req, (req & ~mask) | (ack & mask));
  for (unsigned cs = 0; cs < fw::cs_count; ++cs) {
    if (((irq_req ^ irq_ack) >> cs & 1) == 0) continue;
    const uint32_t cs_req = stream_in(slot, cs, &SI::req), cs_ack = stream_out(slot, cs, &SO::ack);
    events.cs[cs] = (cs_req ^ cs_ack) & fw::cs_bits::events;
    const uint32_t answered =
        fw::cs_bits::fatal | fw::cs_bits::fault | (answer_oom ? fw::cs_bits::tiler_oom : 0);
    shared_set(fw::place::stream_input(slot, cs), &SI::req, (cs_req & ~answered) | (cs_ack & answered));
  }
  return events;
}

uint32_t MiniDriver::take_global_events() {
  write(mmio::job_int_clear, fw::job_irq_global);
  const uint32_t req = global_in(&fw::GlobalInput::req), ack = global_out(&fw::GlobalOutput::ack);
  const uint32_t events = (req ^ ack) & fw::glb::events;
  shared_set(fw::place::global_input, &fw::GlobalInput::req,
             (req & ~fw::glb::events) | (ack & fw::glb::events));
  return events;
}

}  // namespace vgpu::test
