// SPDX-License-Identifier: MIT
#include "registers/register_bus.hpp"

#include <array>

#include "registers/gpu_irq.hpp"

namespace vgpu {

namespace {

/// Events the interrupt faults take. MMU_INT has only fault bits; masked command-completion bits are no
/// occasion.
constexpr uint32_t gpu_occasions =
    gpu_irq::fault | gpu_irq::protm_fault | gpu_irq::reset_completed | gpu_irq::clean_caches_completed;
constexpr uint32_t job_occasions = ~0u;
constexpr uint32_t mmu_occasions = 0xffff;

IrqBlock make_block(RegisterFile& registers, uint32_t base, IrqLine line, IrqLines& lines, EventLog& log,
                    IrqFaults faults) {
  return {registers, base, line, lines, log, &faults};
}

}  // namespace

RegisterBus::RegisterBus(IrqLines& lines, EventQueue& events, FaultInjector& faults, EventLog& log,
                         Timing timing)
    : log_(log),
      events_(events),
      faults_(faults),
      reads_(log.counter("reg.reads")),
      writes_(log.counter("reg.writes")),
      gpu_irq_(make_block(registers_, reg::gpu_int_base, IrqLine::gpu, lines, log,
                          {faults, events, gpu_occasions})),
      job_irq_(make_block(registers_, reg::job_int_base, IrqLine::job, lines, log,
                          {faults, events, job_occasions})),
      mmu_irq_(make_block(registers_, reg::mmu_int_base, IrqLine::mmu, lines, log,
                          {faults, events, mmu_occasions})),
      power_(registers_, gpu_irq_, events, faults, log, timing.power),
      gpu_(registers_, gpu_irq_, job_irq_, power_, events, faults, log, timing.gpu) {}

void RegisterBus::attach(MmuPort& mmu, McuPort& mcu) {
  mmu_ = &mmu;
  gpu_.attach(mmu, mcu);
}

bool RegisterBus::is_volatile(uint32_t offset) noexcept {
  const auto ref = find_register(offset & ~3u);
  return !ref || ref->row->rule == AccessRule::live;
}

uint64_t RegisterBus::read(uint32_t offset, unsigned size) {
  ++reads_;
  if (registers_.blank()) return 0;
  const auto ref = find_register(offset);
  if (!ref || (size != 4 && (size != 8 || ref->row->bytes != 8 || ref->high))) {
    log_.unmodelled(fmt::format("read of {} bytes at {:#x}", size, offset));
    return 0;
  }
  if (ref->row->rule == AccessRule::live) {
    const uint64_t value = gpu_.read_live(ref->row->offset);
    if (size == 8) return value;
    return ref->high ? value >> 32 : static_cast<uint32_t>(value);
  }
  return size == 8 ? registers_.get64(offset) : registers_.get(offset);
}

void RegisterBus::write(uint32_t offset, unsigned size, uint64_t value) {
  ++writes_;
  if (registers_.blank()) return;
  const auto ref = find_register(offset);
  if (!ref || (size != 4 && (size != 8 || ref->row->bytes != 8 || ref->high))) {
    log_.unmodelled(fmt::format("write of {} bytes at {:#x}", size, offset));
    return;
  }
  write_word(offset, static_cast<uint32_t>(value));
  if (size == 8) write_word(offset + 4, static_cast<uint32_t>(value >> 32));
}

void RegisterBus::write_word(uint32_t offset, uint32_t value) {
  static constexpr std::array<Handler, 8> handlers{&RegisterBus::to_storage,     &RegisterBus::to_gpu_irq,
                                                   &RegisterBus::to_job_irq,     &RegisterBus::to_mmu_irq,
                                                   &RegisterBus::to_gpu_control, &RegisterBus::to_power,
                                                   &RegisterBus::to_mmu,         &RegisterBus::to_doorbell};
  static_assert(handlers.size() == static_cast<size_t>(Block::doorbell) + 1);

  const auto ref = find_register(offset);
  if (!ref) return;  // write() looked it up already
  if (log_writes_ && log_.enabled())
    log_.event("reg.write", "name={} offset={:#x} value={:#x}", register_name(*ref), offset, value);
  const AccessRule rule = ref->row->rule;
  if (rule == AccessRule::constant || rule == AccessRule::read_only || rule == AccessRule::live) {
    log_.unmodelled(fmt::format("write to read-only {}", register_name(*ref)));
    return;
  }
  (this->*handlers[static_cast<size_t>(ref->row->block)])(*ref, offset, value);
}

void RegisterBus::to_storage(const RegisterRef&, uint32_t offset, uint32_t value) {
  registers_.set(offset, value);
}

void RegisterBus::to_gpu_irq(const RegisterRef&, uint32_t offset, uint32_t value) {
  gpu_irq_.write(offset - reg::gpu_int_base, value);
}

void RegisterBus::to_job_irq(const RegisterRef&, uint32_t offset, uint32_t value) {
  job_irq_.write(offset - reg::job_int_base, value);
}

void RegisterBus::to_mmu_irq(const RegisterRef&, uint32_t offset, uint32_t value) {
  mmu_irq_.write(offset - reg::mmu_int_base, value);
}

void RegisterBus::to_gpu_control(const RegisterRef&, uint32_t offset, uint32_t value) {
  gpu_.write(offset, value);
}

void RegisterBus::to_power(const RegisterRef&, uint32_t offset, uint32_t value) {
  power_.write(offset, value);
  if (offset != reg::l2_pwroff || value == 0) return;
  if (const auto duration = faults_.delays_ns("registers-read-zero")) lose_clock(*duration);
}

/// The GPU's clock or power domain is off (assumed: what was in it is lost, and comes back as after a reset).
void RegisterBus::lose_clock(uint64_t duration_ns) {
  gpu_.lose_state();
  registers_.set_blank(true);
  log_.event("gpu.clock", "on=0");
  events_.after(duration_ns, [this] {
    registers_.set_blank(false);
    log_.event("gpu.clock", "on=1");
  });
}

void RegisterBus::to_mmu(const RegisterRef&, uint32_t offset, uint32_t value) {
  if (mmu_)
    mmu_->write_register(offset - reg::mmu_as_base, value);
  else
    log_.unmodelled("AS register write without an MMU");
}

void RegisterBus::to_doorbell(const RegisterRef& ref, uint32_t, uint32_t) {
  gpu_.ring_doorbell(ref.index);
}

}  // namespace vgpu
