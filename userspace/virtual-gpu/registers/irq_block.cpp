// SPDX-License-Identifier: MIT
#include "registers/irq_block.hpp"

#include <array>

namespace vgpu {

namespace {

constexpr std::array<std::string_view, irq_line_count> line_names{"job", "mmu", "gpu"};
constexpr uint64_t doubled_after_ns = 100'000;

std::string_view name_of(IrqLine line) {
  return line_names[static_cast<size_t>(line)];
}

}  // namespace

IrqBlock::IrqBlock(RegisterFile& registers, uint32_t base, IrqLine line, IrqLines& lines, EventLog& log,
                   const IrqFaults* faults)
    : registers_(registers),
      base_(base),
      line_(line),
      lines_(lines),
      log_(log),
      rises_(log.counter(fmt::format("irq.{}", name_of(line)))) {
  if (!faults) return;
  faults_ = &faults->faults;
  events_ = &faults->events;
  occasions_ = faults->occasions;
}

IrqBlock::~IrqBlock() {
  for (const EventQueue::Id id : later_) events_->cancel(id);
}

/// By IrqLine.
const IrqBlock::FaultNames IrqBlock::fault_names[irq_line_count] = {
    {"job-irq-lost", "job-irq-late", "job-irq-twice", "job-line-low", "job-unmask-lost"},
    {"mmu-irq-lost", "mmu-irq-late", "mmu-irq-twice", "mmu-line-low", "mmu-unmask-lost"},
    {"gpu-irq-lost", "gpu-irq-late", "gpu-irq-twice", "gpu-line-low", "gpu-unmask-lost"},
};

void IrqBlock::raise(uint32_t bits) {
  if (faults_ && (bits & occasions_) != 0) bits = on_time(bits);
  latch(bits);
}

void IrqBlock::latch(uint32_t bits) {
  if (bits == 0) return;
  registers_.set(base_ + rawstat, raw() | bits);
  update();
}

uint32_t IrqBlock::on_time(uint32_t bits) {
  const uint32_t failing = bits & occasions_;
  if (faults_->hits(names().lost)) return bits & ~occasions_;
  if (const auto delay = faults_->delays_ns(names().late)) {
    latch_after(*delay, failing);
    return bits & ~occasions_;
  }
  if (faults_->hits(names().twice)) latch_after(doubled_after_ns, failing);
  return bits;
}

void IrqBlock::latch_after(uint64_t delay_ns, uint32_t bits) {
  later_.push_back(events_->after(delay_ns, [this, bits] { latch(bits); }));
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
      if (faults_ && value != 0 && faults_->hits(names().unmask_lost)) return;
      registers_.set(base_ + mask, value);
      break;
    default:
      log_.unmodelled(fmt::format("write to read-only {}_INT+{:#x}", name_of(line_), offset));
      return;
  }
  update();
}

void IrqBlock::reset(uint32_t new_mask) {
  for (const EventQueue::Id id : later_) events_->cancel(id);
  later_.clear();
  registers_.set(base_ + rawstat, 0);
  registers_.set(base_ + mask, new_mask);
  update();
}

void IrqBlock::update() {
  const uint32_t now = raw() & masked();
  registers_.set(base_ + status, now);
  const bool level = now != 0;
  if (level == level_) return;
  if (level && faults_ && faults_->hits(names().line_low)) return;
  level_ = level;
  if (level) ++rises_;
  log_.event("irq.level", "line={} level={} status={:#x}", name_of(line_), level ? 1 : 0, now);
  lines_.set_level(line_, level);
}

}  // namespace vgpu
