// SPDX-License-Identifier: MIT
#include "transport/vhost_user.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/socket.h>

#include <array>
#include <cstring>

#include "transport/protocol_error.hpp"
#include "transport/unix_socket.hpp"

namespace vgpu::transport {
namespace {

using vhost::Request;

constexpr uint64_t ram = 0x100000, ram_size = 0x10000;

template <class T>
VhostMessage message(Request request, const T& payload, uint32_t flags = vhost::version) {
  VhostMessage m;
  m.header = {static_cast<uint32_t>(request), flags, sizeof payload};
  m.payload.resize(sizeof payload);
  std::memcpy(m.payload.data(), &payload, sizeof payload);
  return m;
}
VhostMessage message(Request request) {
  VhostMessage m;
  m.header = {static_cast<uint32_t>(request), vhost::version, 0};
  return m;
}

uint64_t value_of(const std::vector<std::byte>& reply) {
  uint64_t value = 0;
  EXPECT_EQ(reply.size(), sizeof(vhost::Header) + sizeof value);
  if (reply.size() == sizeof(vhost::Header) + sizeof value)
    std::memcpy(&value, reply.data() + sizeof(vhost::Header), sizeof value);
  return value;
}

VhostMessage memory_table(uint64_t size = ram_size) {
  struct [[gnu::packed]] {
    vhost::MemoryTableHeader header;
    vhost::MemoryRegion region;
  } table{{1, 0}, {ram, size, ram, 0}};
  VhostMessage m = message(Request::set_mem_table, table);
  m.fds.emplace_back(::memfd_create("guest", MFD_CLOEXEC));
  EXPECT_EQ(::ftruncate(m.fds[0].get(), ram_size), 0);
  return m;
}

class VhostUserTest : public ::testing::Test {
 protected:
  VhostUser vhost{2, VhostUser::Notifications::file_descriptors};
};

TEST_F(VhostUserTest, ASetUpQueueIsReady) {
  EXPECT_TRUE(vhost.handle(memory_table()).empty());
  (void)vhost.handle(message(Request::set_vring_num, vhost::VringState{1, 16}));
  (void)vhost.handle(message(Request::set_vring_base, vhost::VringState{1, 0}));
  (void)vhost.handle(
      message(Request::set_vring_addr, vhost::VringAddress{1, 0, ram, ram + 0x1000, ram + 0x2000, 0}));
  EXPECT_FALSE(vhost.queue(1).ready());
  (void)vhost.handle(message(Request::set_vring_enable, vhost::VringState{1, 1}));
  EXPECT_TRUE(vhost.queue(1).ready());
  EXPECT_FALSE(vhost.queue(0).ready());
  EXPECT_FALSE(vhost.queue(1).pop(vhost.memory()));
}

TEST_F(VhostUserTest, FeaturesFollowTheKindOfNotification) {
  EXPECT_TRUE(value_of(vhost.handle(message(Request::get_features))) & vhost::feature_protocol_features);
  EXPECT_FALSE(value_of(vhost.handle(message(Request::get_protocol_features))) &
               vhost::protocol_inband_notifications);
  VhostUser in_band(2, VhostUser::Notifications::in_band);
  EXPECT_TRUE(value_of(in_band.handle(message(Request::get_protocol_features))) &
              vhost::protocol_inband_notifications);
  EXPECT_EQ(value_of(vhost.handle(message(Request::get_queue_num))), 2U);
}

TEST_F(VhostUserTest, RequestsAreAcknowledgedOnDemand) {
  constexpr uint32_t flags = vhost::version | vhost::flag_need_reply;
  EXPECT_TRUE(vhost.handle(message(Request::set_owner)).empty());
  EXPECT_EQ(value_of(vhost.handle(message(Request::set_features, uint64_t{0}, flags))), 0U);
  VhostMessage unknown = message(static_cast<Request>(999), uint64_t{0}, flags);
  EXPECT_EQ(value_of(vhost.handle(std::move(unknown))), 1U) << "refused";
  EXPECT_TRUE(vhost.handle(message(static_cast<Request>(999), uint64_t{0})).empty());
}

TEST_F(VhostUserTest, MalformedMessagesAreRefused) {
  std::vector<VhostMessage> bad;
  bad.push_back(message(Request::set_vring_num, vhost::VringState{2, 16}));        // no such queue
  bad.push_back(message(Request::set_vring_num, vhost::VringState{0, 17}));        // no power of two
  bad.push_back(message(Request::set_vring_num, uint32_t{0}));                     // too short
  bad.push_back(message(Request::get_features, uint64_t{0}));                      // too long
  bad.push_back(message(Request::set_vring_base, vhost::VringState{0, 0x10000}));  // no index
  bad.push_back(message(Request::set_vring_enable, vhost::VringState{0, 2}));      // neither 0 nor 1
  bad.push_back(message(Request::set_vring_kick, uint64_t{0}));                    // no descriptor
  bad.push_back(message(Request::set_vring_kick, uint64_t{0x1000}));               // bits that mean nothing
  bad.push_back(message(Request::set_backend_req_fd));                             // no descriptor
  bad.push_back(message(Request::set_features, uint64_t{0}, vhost::version | vhost::flag_reply));
  bad.push_back(message(Request::set_features, uint64_t{0}, 2));  // other version
  bad.push_back(memory_table(ram_size * 2));                      // longer than the file
  bad.push_back(memory_table());
  bad.back().fds.clear();  // no file
  bad.push_back(message(Request::set_mem_table, vhost::MemoryTableHeader{0xffffffff, 0}));
  bad.push_back(message(Request::set_owner));
  bad.back().fds.emplace_back(::memfd_create("x", MFD_CLOEXEC));  // a descriptor in excess
  for (size_t i = 0; i < bad.size(); ++i)
    EXPECT_THROW((void)vhost.handle(std::move(bad[i])), ProtocolError) << i;
}

TEST_F(VhostUserTest, RingsOutsideMemoryAreRefused) {
  (void)vhost.handle(memory_table());
  EXPECT_THROW(
      (void)vhost.handle(message(Request::set_vring_addr, vhost::VringAddress{0, 0, ram, ram, ram, 0})),
      ProtocolError)
      << "no size yet";
  (void)vhost.handle(message(Request::set_vring_num, vhost::VringState{0, 256}));
  EXPECT_THROW(
      (void)vhost.handle(message(Request::set_vring_addr,
                                 vhost::VringAddress{0, 0, ram + ram_size - 16, ram, ram + 0x4000, 0})),
      ProtocolError);
  EXPECT_THROW((void)vhost.handle(message(Request::set_vring_addr,
                                          vhost::VringAddress{0, 0, ram + 4, ram + 0x4000, ram + 0x2000, 0})),
               ProtocolError)
      << "not aligned";
}

TEST_F(VhostUserTest, AMemoryTableThatDropsTheRingsIsRefused) {
  (void)vhost.handle(memory_table());
  (void)vhost.handle(message(Request::set_vring_num, vhost::VringState{0, 16}));
  (void)vhost.handle(message(Request::set_vring_addr,
                             vhost::VringAddress{0, 0, ram + 0x8000, ram + 0x9000, ram + 0xa000, 0}));
  EXPECT_THROW((void)vhost.handle(memory_table(0x1000)), ProtocolError);
  EXPECT_FALSE(vhost.queue(0).ready());
}

TEST(ReceiveMessage, TakesDescriptorsAndNoticesTheEnd) {
  std::array<int, 2> pair{};
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, pair.data()), 0);
  UniqueFd ours(pair[0]), theirs(pair[1]);
  const vhost::Header too_long{1, 1, vhost::max_payload + 1};
  ASSERT_TRUE(send_all(theirs.get(), std::as_bytes(std::span(&too_long, 1))));
  EXPECT_THROW((void)receive_message(ours.get()), ProtocolError);
  const vhost::Header header{1, 1, 8};
  ASSERT_TRUE(send_all(theirs.get(), std::as_bytes(std::span(&header, 1))));
  theirs.reset();
  EXPECT_THROW((void)receive_message(ours.get()), ProtocolError) << "cut short";
  EXPECT_FALSE(receive_message(ours.get())) << "closed";
}

TEST(VhostUserInBand, ACallWaitsForItsAnswer) {
  VhostUser vhost(2, VhostUser::Notifications::in_band);
  std::array<int, 2> pair{};
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, pair.data()), 0);
  UniqueFd guest(pair[1]);
  (void)vhost.handle(memory_table());
  (void)vhost.handle(message(Request::set_vring_num, vhost::VringState{1, 16}));
  (void)vhost.handle(
      message(Request::set_vring_addr, vhost::VringAddress{1, 0, ram, ram + 0x1000, ram + 0x2000, 0}));
  VhostMessage channel = message(Request::set_backend_req_fd);
  channel.fds.emplace_back(pair[0]);
  (void)vhost.handle(std::move(channel));

  bool waited = false;
  vhost.on_wait([&](int) {
    waited = true;
    std::array<std::byte, sizeof(vhost::Header) + sizeof(vhost::VringState)> call{};
    EXPECT_TRUE(receive_all(guest.get(), call));
    struct [[gnu::packed]] {
      vhost::Header header;
      uint64_t status;
    } const answer{{4, vhost::version | vhost::flag_reply, 8}, 0};
    return send_all(guest.get(), std::as_bytes(std::span(&answer, 1)));
  });
  vhost.call(1);
  EXPECT_TRUE(waited);
}

}  // namespace
}  // namespace vgpu::transport
