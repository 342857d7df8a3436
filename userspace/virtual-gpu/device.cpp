// SPDX-License-Identifier: MIT
#include "device.hpp"

#include <optional>

#include "firmware/image.hpp"
#include "firmware/mcu.hpp"
#include "mmu/mmu.hpp"
#include "registers/register_bus.hpp"
#include "shader/firmware_job_model.hpp"

namespace vgpu {
namespace {

std::optional<fw::Image> load_image(const std::filesystem::path& path) {
  if (path.empty()) return std::nullopt;
  return fw::Image::load(path);
}

RegisterBus::Timing bus_timing(const DeviceOptions& options) {
  RegisterBus::Timing timing;
  timing.gpu.core_clock_hz = options.core_clock_hz;
  return timing;
}

}  // namespace

/// In order of construction: each layer knows those before it.
struct Device::Layers {
  Layers(Memory& memory, IrqLines& lines, const Clock& clock, EventLog& log, const DeviceOptions& options)
      : image(load_image(options.firmware)),
        events(clock),
        faults(log),
        bus(lines, events, faults, log, bus_timing(options)),
        mmu(memory, bus.registers(), bus.mmu_irq(), events, faults, log),
        mcu(bus.gpu(), mmu, events, faults, log, jobs, image ? &*image : nullptr) {
    mmu.on_resume = [this](unsigned as) { mcu.address_space_resumed(as); };
    bus.attach(mmu, mcu);
    bus.log_writes(options.log_register_writes);
    if (image) log.event("fw.image", "sections={} git_sha={}", image->sections.size(), image->git_sha);
  }

  std::optional<fw::Image> image;
  EventQueue events;
  FaultInjector faults;
  RegisterBus bus;
  Mmu mmu;
  shader::JobPlanner planner;
  shader::FirmwareJobModel jobs{planner};
  fw::Mcu mcu;
};

Device::Device(Memory& memory, IrqLines& lines, const Clock& clock, EventLog& log,
               const DeviceOptions& options)
    : layers_(std::make_unique<Layers>(memory, lines, clock, log, options)) {}
Device::~Device() = default;

uint64_t Device::read(uint32_t offset, unsigned size) {
  return layers_->bus.read(offset, size);
}
void Device::write(uint32_t offset, unsigned size, uint64_t value) {
  layers_->bus.write(offset, size, value);
}
bool Device::is_volatile(uint32_t offset) noexcept {
  return RegisterBus::is_volatile(offset) || !find_register(offset & ~uint32_t{3});
}

void Device::attach_shadow(std::span<uint32_t> words) {
  layers_->mmu.memory_changed();
  layers_->bus.registers().attach(words);
}
void Device::detach_shadow() {
  layers_->bus.registers().detach();
  layers_->mmu.memory_changed();
}
void Device::memory_changed() noexcept {
  layers_->mmu.memory_changed();
}

EventQueue& Device::events() noexcept {
  return layers_->events;
}
FaultInjector& Device::faults() noexcept {
  return layers_->faults;
}

}  // namespace vgpu
