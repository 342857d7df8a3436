// SPDX-License-Identifier: MIT
#include "transport/register_link.hpp"

#include <gtest/gtest.h>

#include "transport/protocol_error.hpp"
#include "transport/ring.hpp"

namespace vgpu::transport {
namespace {

using testing::Ring;

/// GPU_ID, and a register that keeps what is written: GPU_INT_MASK (panthor_regs.h).
constexpr uint32_t gpu_id = 0x0, gpu_int_mask = 0x28;

class RegisterLinkTest : public ::testing::Test {
 protected:
  panthor_vgpu_reply ask(panthor_vgpu_request request, uint32_t room = sizeof(panthor_vgpu_reply)) {
    ring.request(0, std::as_bytes(std::span(&request, 1)), room);
    EXPECT_EQ(link.serve(ring.queue), 1U);
    return ring.get<panthor_vgpu_reply>(Ring::reply_address(0));
  }
  void post(panthor_vgpu_request request) {
    ring.request(0, std::as_bytes(std::span(&request, 1)), 0);
    EXPECT_EQ(link.serve(ring.queue), 1U);
  }

  VirtualClock clock;
  EventLog log{clock};
  Ring ring;
  IrqDelivery irqs{log};
  Device device{ring.memory, irqs, clock, log};
  RegisterLink link{device, ring.memory, irqs, log,
                    [](std::string_view line) { return "you said " + std::string(line); }};
};

TEST_F(RegisterLinkTest, HelloGivesTheVersion) {
  const auto reply = ask({.op = PANTHOR_VGPU_OP_HELLO, .size = 0, .reserved = 0, .offset = 0, .value = 1});
  EXPECT_EQ(reply.status, static_cast<uint32_t>(PANTHOR_VGPU_OK));
  EXPECT_EQ(reply.value, static_cast<uint64_t>(PANTHOR_VGPU_WIRE_VERSION));
  EXPECT_TRUE(link.take_completed());
  EXPECT_FALSE(link.take_completed());
}

TEST_F(RegisterLinkTest, ReadsAndPostedWritesReachTheDevice) {
  EXPECT_EQ(
      ask({.op = PANTHOR_VGPU_OP_READ, .size = 4, .reserved = 0, .offset = gpu_id, .value = 0}).value >> 16,
      0xa867U);
  (void)link.take_completed();
  post({.op = PANTHOR_VGPU_OP_WRITE, .size = 4, .reserved = 0, .offset = gpu_int_mask, .value = 0x5});
  EXPECT_FALSE(link.take_completed()) << "nobody waits for a posted write";
  EXPECT_EQ(
      ask({.op = PANTHOR_VGPU_OP_READ, .size = 4, .reserved = 0, .offset = gpu_int_mask, .value = 0}).value,
      0x5U);
}

TEST_F(RegisterLinkTest, NonsenseIsRefusedAndCounted) {
  const std::vector<panthor_vgpu_request> nonsense{
      {.op = 0, .size = 4, .reserved = 0, .offset = 0, .value = 0},
      {.op = 200, .size = 4, .reserved = 0, .offset = 0, .value = 0},
      {.op = PANTHOR_VGPU_OP_READ, .size = 3, .reserved = 0, .offset = 0, .value = 0},
      {.op = PANTHOR_VGPU_OP_READ,
       .size = 8,
       .reserved = 0,
       .offset = PANTHOR_VGPU_WINDOW_SIZE - 4,
       .value = 0},
      {.op = PANTHOR_VGPU_OP_READ, .size = 4, .reserved = 0, .offset = 0xfffffffc, .value = 0},
      {.op = PANTHOR_VGPU_OP_SHADOW, .size = 0, .reserved = 0, .offset = 0, .value = Ring::base},
      {.op = PANTHOR_VGPU_OP_TRAP_MAP, .size = 0, .reserved = 0, .offset = 0, .value = ~uint64_t{0}},
      {.op = PANTHOR_VGPU_OP_EOI, .size = 0, .reserved = 0, .offset = 0, .value = 7},
      {.op = PANTHOR_VGPU_OP_CONTROL, .size = 0, .reserved = 0, .offset = 0, .value = 10},
  };
  for (const auto& request : nonsense)
    EXPECT_EQ(ask(request).status, static_cast<uint32_t>(PANTHOR_VGPU_BAD_REQUEST)) << int{request.op};
  EXPECT_EQ(log.counter("transport.bad_requests"), nonsense.size());
}

TEST_F(RegisterLinkTest, ARequestCutShortIsAProtocolError) {
  const std::array<std::byte, 8> half{};
  ring.request(0, half, 0);
  EXPECT_THROW(link.serve(ring.queue), ProtocolError);
}

TEST_F(RegisterLinkTest, NoRoomForTheReplyIsAProtocolError) {
  const panthor_vgpu_request request{
      .op = PANTHOR_VGPU_OP_READ, .size = 4, .reserved = 0, .offset = 0, .value = 0};
  ring.request(0, std::as_bytes(std::span(&request, 1)), 4);
  EXPECT_THROW(link.serve(ring.queue), ProtocolError);
}

TEST_F(RegisterLinkTest, ControlCommandsCarryText) {
  const std::string line = "fault list";
  const panthor_vgpu_request request{
      .op = PANTHOR_VGPU_OP_CONTROL, .size = 0, .reserved = 0, .offset = 0, .value = line.size()};
  std::vector<std::byte> bytes(sizeof request + line.size());
  std::memcpy(bytes.data(), &request, sizeof request);
  std::memcpy(bytes.data() + sizeof request, line.data(), line.size());
  ring.request(0, bytes, 64);
  link.serve(ring.queue);
  const auto reply = ring.get<panthor_vgpu_reply>(Ring::reply_address(0));
  EXPECT_EQ(reply.status, static_cast<uint32_t>(PANTHOR_VGPU_OK));
  ASSERT_EQ(reply.value, std::string("you said fault list").size());
  const auto text = ring.memory.span(Ring::reply_address(0) + sizeof reply, reply.value);
  EXPECT_EQ(std::string(reinterpret_cast<const char*>(text.data()), text.size()), "you said fault list");
}

TEST_F(RegisterLinkTest, TheLimitLeavesTheRest) {
  const panthor_vgpu_request request{
      .op = PANTHOR_VGPU_OP_READ, .size = 4, .reserved = 0, .offset = 0, .value = 0};
  for (const uint16_t head : {uint16_t{0}, uint16_t{2}, uint16_t{4}})
    ring.request(head, std::as_bytes(std::span(&request, 1)), 16);
  EXPECT_EQ(link.serve(ring.queue, 2), 2U);
  EXPECT_EQ(link.serve(ring.queue, 2), 1U);
}

}  // namespace
}  // namespace vgpu::transport
