// SPDX-License-Identifier: MIT
#include "transport/irq_delivery.hpp"

#include <gtest/gtest.h>

#include "panthor_vgpu_wire.h"
#include "transport/protocol_error.hpp"
#include "transport/ring.hpp"

namespace vgpu::transport {
namespace {

using testing::Ring;

class IrqDeliveryTest : public ::testing::Test {
 protected:
  void offer(uint16_t head, uint32_t length = sizeof(panthor_vgpu_irq)) {
    ring.describe(head, {Ring::buffers + 0x100U * head, length, Ring::write, 0});
    ring.offer(head);
  }
  uint32_t line_in(uint16_t head) { return ring.get<panthor_vgpu_irq>(Ring::buffers + 0x100U * head).line; }

  VirtualClock clock;
  EventLog log{clock};
  IrqDelivery irqs{log};
  Ring ring;
};

TEST_F(IrqDeliveryTest, AHighLineIsDeliveredOnceUntilItIsEnded) {
  offer(0);
  offer(1);
  irqs.set_level(IrqLine::mmu, true);
  EXPECT_TRUE(irqs.deliver(ring.queue, ring.memory));
  EXPECT_EQ(line_in(0), static_cast<uint32_t>(PANTHOR_VGPU_LINE_MMU));
  EXPECT_FALSE(irqs.deliver(ring.queue, ring.memory));

  EXPECT_TRUE(irqs.end_of_interrupt(PANTHOR_VGPU_LINE_MMU));  // the handler left it high
  EXPECT_TRUE(irqs.deliver(ring.queue, ring.memory));
  irqs.set_level(IrqLine::mmu, false);
  EXPECT_TRUE(irqs.end_of_interrupt(PANTHOR_VGPU_LINE_MMU));
  EXPECT_FALSE(irqs.due());
  EXPECT_EQ(ring.used_count(), 2);
}

TEST_F(IrqDeliveryTest, ALineThatFellBeforeThereWasABufferIsNotDelivered) {
  irqs.set_level(IrqLine::job, true);
  EXPECT_FALSE(irqs.deliver(ring.queue, ring.memory));
  irqs.set_level(IrqLine::job, false);
  offer(0);
  EXPECT_FALSE(irqs.deliver(ring.queue, ring.memory));
}

TEST_F(IrqDeliveryTest, LinesAreIndependent) {
  for (uint16_t i = 0; i < 3; ++i) offer(i);
  irqs.set_level(IrqLine::job, true);
  irqs.deliver(ring.queue, ring.memory);
  irqs.set_level(IrqLine::gpu, true);
  EXPECT_TRUE(irqs.deliver(ring.queue, ring.memory));
  EXPECT_EQ(line_in(1), static_cast<uint32_t>(PANTHOR_VGPU_LINE_GPU));
}

TEST_F(IrqDeliveryTest, AnEndThatDoesNotFitIsRefused) {
  EXPECT_FALSE(irqs.end_of_interrupt(PANTHOR_VGPU_LINE_JOB));
  EXPECT_FALSE(irqs.end_of_interrupt(3));
  EXPECT_FALSE(irqs.end_of_interrupt(~uint64_t{0}));
}

TEST_F(IrqDeliveryTest, ABufferTooShortIsAProtocolError) {
  offer(0, 4);
  irqs.set_level(IrqLine::job, true);
  EXPECT_THROW(irqs.deliver(ring.queue, ring.memory), ProtocolError);
}

TEST_F(IrqDeliveryTest, ANewGuestStartsWithNothingInService) {
  offer(0);
  offer(1);
  irqs.set_level(IrqLine::job, true);
  irqs.deliver(ring.queue, ring.memory);
  irqs.reset();
  EXPECT_TRUE(irqs.deliver(ring.queue, ring.memory));
}

}  // namespace
}  // namespace vgpu::transport
