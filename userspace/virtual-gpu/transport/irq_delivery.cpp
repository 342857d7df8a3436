// SPDX-License-Identifier: MIT
#include "transport/irq_delivery.hpp"

#include <span>
#include <string_view>

#include "panthor_vgpu_wire.h"
#include "transport/protocol_error.hpp"

namespace vgpu::transport {
namespace {

constexpr std::array<std::string_view, irq_line_count> line_names{"job", "mmu", "gpu"};
static_assert(PANTHOR_VGPU_LINE_JOB == static_cast<int>(IrqLine::job));
static_assert(PANTHOR_VGPU_LINE_MMU == static_cast<int>(IrqLine::mmu));
static_assert(PANTHOR_VGPU_LINE_GPU == static_cast<int>(IrqLine::gpu));
static_assert(PANTHOR_VGPU_LINE_COUNT == irq_line_count);

}  // namespace

bool IrqDelivery::end_of_interrupt(uint64_t line) noexcept {
  if (line >= irq_line_count || !in_service_[line]) return false;
  in_service_[line] = false;
  return true;
}

bool IrqDelivery::due() const noexcept {
  for (size_t i = 0; i < irq_line_count; ++i)
    if (level_[i] && !in_service_[i]) return true;
  return false;
}

bool IrqDelivery::deliver(Virtqueue& queue, Memory& memory) {
  if (!due() || !queue.ready()) return false;
  bool sent = false;
  for (size_t i = 0; i < irq_line_count; ++i) {
    if (!level_[i] || in_service_[i]) continue;
    auto chain = queue.pop(memory);
    if (!chain) break;  // no buffer on offer: the next kick of this queue brings us back
    const panthor_vgpu_irq message{.line = static_cast<uint32_t>(i), .reserved = 0};
    const size_t written = chain->write(0, std::as_bytes(std::span(&message, 1)));
    if (written != sizeof message) throw ProtocolError("irq queue: a buffer too short for a message");
    queue.push(*chain, written);
    in_service_[i] = true;
    sent = true;
    ++delivered_;
    log_.event("transport.irq", "line={}", line_names[i]);
  }
  return sent;
}

}  // namespace vgpu::transport
