// SPDX-License-Identifier: MIT
#include "registers/power.hpp"

#include "registers/gpu_irq.hpp"
#include "registers/register_map.hpp"

namespace vgpu {

namespace {

constexpr std::array all_domains{PowerDomain::l2, PowerDomain::tiler, PowerDomain::shader};
constexpr std::array<std::string_view, power_domain_count> domain_names{"shader", "tiler", "l2"};

constexpr uint32_t bank(uint32_t shader_register, PowerDomain domain) {
  return shader_register + static_cast<uint32_t>(domain) * reg::power_domain_stride;
}

}  // namespace

PowerControl::PowerControl(RegisterFile& registers, IrqBlock& gpu_irq, EventQueue& events,
                           FaultInjector& faults, EventLog& log, Timing timing)
    : registers_(registers), irq_(gpu_irq), events_(events), faults_(faults), log_(log), timing_(timing) {}

uint64_t PowerControl::present(PowerDomain domain) const noexcept {
  return registers_.get64(bank(reg::shader_present, domain));
}

uint64_t PowerControl::ready(PowerDomain domain) const noexcept {
  return at(domain).ready;
}

uint64_t PowerControl::in_transition(PowerDomain domain) const noexcept {
  return at(domain).transition();
}

bool PowerControl::anything_on() const noexcept {
  for (const Domain& domain : domains_)
    if ((domain.ready | domain.transition()) != 0) return true;
  return false;
}

void PowerControl::write(uint32_t offset, uint32_t value) {
  const bool off = offset >= reg::shader_pwroff;
  const uint32_t in_bank = offset - (off ? reg::shader_pwroff : reg::shader_pwron);
  const auto domain = static_cast<PowerDomain>(in_bank / reg::power_domain_stride);
  const uint64_t cores = static_cast<uint64_t>(value) << (offset % 8 * 8);
  if (off)
    power_off(domain, cores);
  else
    power_on(domain, cores);
}

void PowerControl::power_on(PowerDomain domain, uint64_t cores) {
  if (const uint64_t absent = cores & ~present(domain))
    log_.unmodelled(
        fmt::format("power-on of absent {} cores {:#x}", domain_names[static_cast<size_t>(domain)], absent));
  at(domain).cpu_wants |= cores & present(domain);
  advance();
}

void PowerControl::power_off(PowerDomain domain, uint64_t cores) {
  at(domain).cpu_wants &= ~cores;
  if (domain == PowerDomain::l2) {
    if (at(domain).wanted() == 0)
      for (const PowerDomain user : {PowerDomain::tiler, PowerDomain::shader})
        at(user).cpu_wants = at(user).mcu_wants = 0;
  } else {
    at(domain).mcu_wants &= ~cores;
  }
  advance();
}

void PowerControl::request_from_mcu(PowerDomain domain, uint64_t cores) {
  at(domain).mcu_wants = cores & present(domain);
  advance();
}

uint64_t PowerControl::startable(PowerDomain domain) const noexcept {
  const Domain& d = at(domain);
  if (d.moving != 0) return 0;
  const uint64_t down = d.ready & ~d.wanted();
  const uint64_t up = d.wanted() & ~d.ready;
  if (domain == PowerDomain::l2) {
    for (const PowerDomain user : {PowerDomain::tiler, PowerDomain::shader})
      if ((at(user).ready | at(user).moving) != 0) return up;
    return down ? down : up;
  }
  if (down) return down;
  const Domain& l2 = at(PowerDomain::l2);
  return l2.ready != 0 && l2.wanted() != 0 ? up : 0;
}

void PowerControl::advance() {
  bool changed = false;
  for (const PowerDomain domain : all_domains) {
    const uint64_t cores = startable(domain);
    if (cores != 0) {
      Domain& d = at(domain);
      const bool up = (d.wanted() & cores) != 0;
      d.moving = cores;
      if (!up) {
        d.ready &= ~cores;
        changed = true;
      }
      const auto index = static_cast<size_t>(domain);
      const uint64_t slow = up ? faults_.delays_ns("power-up-slow", domain_names[index]).value_or(0) : 0;
      d.event = events_.after(timing_.transition_ns[index] + slow,
                              [this, domain, cores, up] { finish(domain, cores, up); });
    }
  }
  for (const PowerDomain domain : all_domains) publish(domain);
  if (changed && on_change) on_change();
}

void PowerControl::finish(PowerDomain domain, uint64_t cores, bool up) {
  Domain& d = at(domain);
  d.event = 0;
  d.moving = 0;
  if (up && faults_.hits("power-ready-lost", domain_names[static_cast<size_t>(domain)])) {
    d.cpu_wants &= ~cores;
    d.mcu_wants &= ~cores;
    advance();
    return;
  }
  if (up) d.ready |= cores;
  log_.event("power.change", "domain={} ready={:#x}", domain_names[static_cast<size_t>(domain)], d.ready);
  advance();
  bool settled = true;
  for (const Domain& each : domains_) settled = settled && each.transition() == 0;
  irq_.raise(gpu_irq::power_changed | (settled ? gpu_irq::power_changed_all : 0));
  if (up && on_change) on_change();
}

void PowerControl::publish(PowerDomain domain) {
  const Domain& d = at(domain);
  registers_.set64(bank(reg::shader_pwrtrans, domain), d.transition());
  registers_.set64(bank(reg::shader_ready, domain), d.ready);
  registers_.set64(bank(reg::shader_pwractive, domain), d.ready);
}

void PowerControl::reset() {
  for (Domain& domain : domains_) {
    events_.cancel(domain.event);
    domain = {};
  }
  for (const PowerDomain domain : all_domains) publish(domain);
}

}  // namespace vgpu
