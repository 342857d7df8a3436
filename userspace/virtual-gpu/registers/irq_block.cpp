// SPDX-License-Identifier: MIT
#include "registers/irq_block.hpp"

#include <array>

namespace vgpu {

namespace {

constexpr std::array<std::string_view, irq_line_count> line_names{"job", "mmu", "gpu"};

std::string_view name_of(IrqLine line) {
  return line_names[static_cast<size_t>(line)];
}

}  // namespace

IrqBlock::IrqBlock(RegisterFile& registers, uint32_t base, IrqLine line, IrqLines& lines, EventLog& log,
                   const IrqLoss* loss)
    : registers_(registers),
      base_(base),
      line_(line),
      lines_(lines),
      log_(log),
      rises_(log.counter(fmt::format("irq.{}", name_of(line)))) {
  if (!loss) return;
  faults_ = &loss->faults;
  loss_fault_ = loss->fault;
  loss_events_ = loss->events;
}

void IrqBlock::raise(uint32_t bits) {
  if (faults_ && (bits & loss_events_) != 0 && faults_->hits(loss_fault_)) bits &= ~loss_events_;
  if (bits == 0) return;
  registers_.set(base_ + rawstat, raw() | bits);
  update();
}

void IrqBlock::write(uint32_t offset, uint32_t value) {
  switch (offset) {
    case rawstat:
      registers_.set(base_ + rawstat, raw() | value);
      break;
    case clear:
      registers_.set(base_ + rawstat, raw() & ~value);
      break;
    case mask:
      registers_.set(base_ + mask, value);
      break;
    default:
      log_.unmodelled(fmt::format("write to read-only {}_INT+{:#x}", name_of(line_), offset));
      return;
  }
  update();
}

void IrqBlock::reset(uint32_t new_mask) {
  registers_.set(base_ + rawstat, 0);
  registers_.set(base_ + mask, new_mask);
  update();
}

void IrqBlock::update() {
  const uint32_t now = raw() & masked();
  registers_.set(base_ + status, now);
  const bool level = now != 0;
  if (level == level_) return;
  level_ = level;
  if (level) ++rises_;
  log_.event("irq.level", "line={} level={} status={:#x}", name_of(line_), level ? 1 : 0, now);
  lines_.set_level(line_, level);
}

}  // namespace vgpu
