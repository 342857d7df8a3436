// SPDX-License-Identifier: MIT
#include "mmu/mmu.hpp"

#include <algorithm>
#include <cstring>

#include "mmu/fault_code.hpp"
#include "registers/register_map.hpp"

namespace vgpu {

namespace {

constexpr uint32_t page_size = 4096;
constexpr std::array<std::string_view, 4> access_names{"atomic", "execute", "read", "write"};
constexpr std::array<std::string_view, as::command_count> command_names{"nop",    "update",   "lock",
                                                                        "unlock", "flush_pt", "flush_mem"};

constexpr uint32_t bit(Access access) {
  return 1u << static_cast<unsigned>(access);
}

constexpr uint32_t block(unsigned as) {
  return reg::mmu_as_base + as * reg::mmu_as_stride;
}

constexpr uint32_t allowed_by(const Translation& leaf) {
  return bit(Access::read) | (leaf.writable ? bit(Access::write) | bit(Access::atomic) : 0) |
         (leaf.executable ? bit(Access::execute) : 0);
}

}  // namespace

Mmu::Mmu(Memory& memory, RegisterFile& registers, IrqBlock& mmu_irq, EventQueue& events,
         FaultInjector& faults, EventLog& log)
    : memory_(memory),
      registers_(registers),
      irq_(mmu_irq),
      events_(events),
      faults_(faults),
      log_(log),
      misses_(log.counter("mmu.tlb_misses")),
      fault_count_(log.counter("mmu.faults")),
      commands_(log.counter("mmu.commands")) {}

Mmu::~Mmu() {
  for (const AddressSpace& space : spaces_) events_.cancel(space.command_event);
}

bool Mmu::enabled(unsigned as) const noexcept {
  return as < as_count && spaces_[as].config().translates();
}

void Mmu::memory_changed() noexcept {
  for (AddressSpace& space : spaces_) space.forget_recent();
}

void Mmu::reset() {
  for (unsigned as = 0; as < as_count; ++as) {
    events_.cancel(spaces_[as].command_event);
    spaces_[as].reset();
    for (uint32_t offset = 0; offset < reg::mmu_as_stride; offset += 4) registers_.set(block(as) + offset, 0);
  }
  irq_.reset(0);
  for (unsigned as = 0; as < as_count; ++as) resume(as);
}

void Mmu::resume(unsigned as) {
  spaces_[as].stalled = false;
  if (on_resume) on_resume(as);
}

// Accesses

WalkResult Mmu::find_leaf(AddressSpace& space, uint64_t va) {
  if (space.config().mode() == as::Mode::identity) {
    const uint64_t page = va & ~uint64_t{page_size - 1};
    if (va >> physical_address_bits != 0) return {fault_code::address_size_out, 0, {}};
    return {fault_code::none, 0, {page, page, 12, 0, true, true}};
  }
  if (const Translation* leaf = space.cached(va)) return {fault_code::none, 0, *leaf};
  ++misses_;
  const WalkResult walked = walk_page_table(memory_, space.walk_config(), va);
  if (walked.fault == fault_code::none) space.cache(walked.leaf);
  return walked;
}

Mmu::Lookup Mmu::translate_slow(unsigned as, uint64_t va, Access access, Master master) {
  if (as >= as_count) {
    log_.unmodelled(fmt::format("access through AS {}", as));
    return {};
  }
  AddressSpace& space = spaces_[as];
  if (!space.config().translates()) return {};
  const bool locked = space.locked_at(va);
  if (locked && master != Master::mcu) return {AccessResult::stalled, nullptr, 0, 0};

  const WalkResult found = find_leaf(space, va);
  if (found.fault == fault_code::gpu_bus_fault) return bus_fault(as, va, found.fault_address, access, master);
  if (found.fault != fault_code::none) return fault(as, va, found.fault, access, master);
  const Translation& leaf = found.leaf;
  const uint32_t allowed = allowed_by(leaf);
  if ((allowed & bit(access)) == 0)
    return fault(as, va, static_cast<uint8_t>(fault_code::permission + leaf.level), access, master);

  const uint64_t page = va & ~uint64_t{page_size - 1};
  const uint64_t pa = leaf.physical_base + (page - leaf.virtual_base);
  // A lock of part of a block must stall accesses there: while one is held, nobody gets more than a page.
  const uint64_t leaf_rest = (uint64_t{1} << leaf.shift) - (page - leaf.virtual_base);
  uint64_t length = space.locked() ? page_size : leaf_rest;
  auto bytes = memory_.span(pa, length);
  if (bytes.empty()) bytes = memory_.span(pa, length = page_size);
  if (bytes.empty()) return bus_fault(as, va, pa + (va - page), access, master);

  if (!locked) space.remember({va >> 12, page + length, bytes.data(), allowed});
  return {AccessResult::ok, bytes.data() + (va - page), page + length - va, 0};
}

Mmu::Lookup Mmu::fault(unsigned as, uint64_t va, uint8_t code, Access access, Master master) {
  AddressSpace& space = spaces_[as];
  const AccessResult result = fault_code::stalls(code) ? AccessResult::stalled : AccessResult::aborted;
  const bool pending = space.stalled || (irq_.raw() & 1u << as) != 0;
  if (result == AccessResult::stalled) space.stalled = true;
  if (!pending) {
    ++fault_count_;
    registers_.set64(block(as) + as::faultaddress, va);
    registers_.set(block(as) + as::faultstatus,
                   code | static_cast<uint32_t>(access) << 8 | static_cast<uint32_t>(master) << 16);
    log_.event("mmu.fault", "as={} va={:#x} code={:#x} access={} source={:#x}", as, va, code,
               access_names[static_cast<size_t>(access)], static_cast<unsigned>(master));
    irq_.raise(1u << as);
  }
  return {result, nullptr, 0, code};
}

Mmu::Lookup Mmu::bus_fault(unsigned as, uint64_t va, uint64_t pa, Access access, Master master) {
  log_.event("mmu.bus_fault", "as={} va={:#x} pa={:#x} access={} source={:#x}", as, va, pa,
             access_names[static_cast<size_t>(access)], static_cast<unsigned>(master));
  if (on_bus_fault) on_bus_fault(fault_code::gpu_bus_fault, pa);
  return {AccessResult::aborted, nullptr, 0, fault_code::gpu_bus_fault};
}

AccessResult Mmu::read(unsigned as, uint64_t va, std::span<std::byte> out, Master master, size_t* done) {
  size_t copied = 0;
  AccessResult result = AccessResult::ok;
  while (copied < out.size()) {
    const Lookup at = translate(as, va + copied, Access::read, master);
    result = at.result;
    if (result != AccessResult::ok) break;
    const size_t length = std::min<size_t>(at.contiguous, out.size() - copied);
    std::memcpy(out.data() + copied, at.host, length);
    copied += length;
  }
  if (done) *done = copied;
  return result;
}

AccessResult Mmu::write(unsigned as, uint64_t va, std::span<const std::byte> in, Master master,
                        size_t* done) {
  size_t copied = 0;
  AccessResult result = AccessResult::ok;
  while (copied < in.size()) {
    const Lookup at = translate(as, va + copied, Access::write, master);
    result = at.result;
    if (result != AccessResult::ok) break;
    const size_t length = std::min<size_t>(at.contiguous, in.size() - copied);
    std::memcpy(at.host, in.data() + copied, length);
    copied += length;
  }
  if (done) *done = copied;
  return result;
}

// Commands

void Mmu::write_register(uint32_t offset, uint32_t value) {
  const unsigned as = offset / reg::mmu_as_stride;
  const uint32_t in_block = offset % reg::mmu_as_stride;
  if (as >= as_count) {
    log_.unmodelled(fmt::format("write to AS {} register {:#x}", as, in_block));
    return;
  }
  if (in_block == as::command)
    command(as, value);
  else
    registers_.set(block(as) + in_block, value);
}

void Mmu::command(unsigned as, uint32_t value) {
  AddressSpace& space = spaces_[as];
  if (value >= as::command_count) {
    log_.unmodelled(fmt::format("AS_COMMAND {:#x}", value));
    return;
  }
  if (space.busy()) {
    log_.unmodelled(fmt::format("AS_COMMAND {} while AS_ACTIVE", command_names[value]));
    return;
  }
  ++commands_;
  registers_.set(block(as) + as::status, as::status_active);
  if (faults_.hits("as-active-stuck")) {
    space.stuck = true;
    return;
  }
  const uint32_t base = block(as);
  const AsConfig config{registers_.get64(base + as::transtab), registers_.get64(base + as::memattr),
                        registers_.get64(base + as::transcfg)};
  const Region region = decode_lock_region(registers_.get64(base + as::lockaddr));
  space.command_event = events_.after(command_ns, [this, as, value, config, region] {
    complete(as, static_cast<as::Command>(value), config, region);
  });
}

void Mmu::complete(unsigned as, as::Command command, const AsConfig& config, const Region& region) {
  AddressSpace& space = spaces_[as];
  space.command_event = 0;
  registers_.set(block(as) + as::status, 0);
  log_.event("mmu.command", "as={} command={} transtab={:#x} transcfg={:#x} first={:#x} last={:#x}", as,
             command_names[static_cast<size_t>(command)], config.transtab, config.transcfg, region.first,
             region.last);
  bool resumes = true;
  switch (command) {
    case as::Command::nop:
      resumes = false;
      break;
    case as::Command::update:
      check_config(as, config);
      space.configure(config);
      break;
    case as::Command::lock:
      space.lock(region);
      resumes = false;
      break;
    case as::Command::unlock:
    case as::Command::flush_pt:
    case as::Command::flush_mem:
      invalidate(as, space.locked().value_or(region));
      space.unlock();
      break;
  }
  irq_.raise(1u << (16 + as));
  if (resumes) resume(as);
}

void Mmu::invalidate(unsigned as, const Region& region) {
  if (!faults_.hits("tlb-invalidate-skipped")) spaces_[as].invalidate(region);
}

void Mmu::check_config(unsigned as, const AsConfig& config) {
  const as::Mode mode = config.mode();
  if (!config.translates()) {
    if (mode != as::Mode::unmapped && mode != as::Mode::reset)
      log_.unmodelled(fmt::format("AS_TRANSCFG mode {}", static_cast<uint32_t>(mode)));
    return;
  }
  if (mode == as::Mode::identity) return;
  const unsigned bits = as::input_bits(config.transcfg);
  if (bits > 48) log_.unmodelled(fmt::format("AS_TRANSCFG with {} input bits in AS {}", bits, as));
  if (const uint64_t ignored = config.transcfg & (as::outa_bits | as::sl_concat | as::xreadable))
    log_.unmodelled(fmt::format("AS_TRANSCFG bits {:#x}", ignored));
}

}  // namespace vgpu
