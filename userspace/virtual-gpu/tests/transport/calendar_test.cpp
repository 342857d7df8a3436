// SPDX-License-Identifier: MIT
#include "transport/calendar.hpp"

#include <gtest/gtest.h>
#include <sys/socket.h>

#include <array>
#include <span>
#include <thread>

#include "transport/protocol_error.hpp"
#include "transport/unix_socket.hpp"

namespace vgpu::transport {
namespace {

/// include/uapi/linux/um_timetravel.h
enum Op : uint32_t { ack, start, request, wait, get, update, run, free_until, get_tod };

struct Message {
  uint32_t op;
  uint32_t sequence;
  uint64_t time;
};

class CalendarTest : public ::testing::Test {
 protected:
  CalendarTest() {
    std::array<int, 2> pair{};
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, pair.data()), 0);
    calendar.connect(UniqueFd(pair[0]));
    guest.reset(pair[1]);
  }
  void say(uint32_t op, uint64_t time = 0) {
    const Message m{op, ++sequence, time};
    ASSERT_TRUE(send_all(guest.get(), std::as_bytes(std::span(&m, 1))));
  }
  Message hear() {
    Message m{};
    EXPECT_TRUE(receive_all(guest.get(), std::as_writable_bytes(std::span(&m, 1))));
    return m;
  }
  /// One request and its acknowledgement; gives the time in it.
  uint64_t ask(uint32_t op, uint64_t time = 0) {
    say(op, time);
    EXPECT_TRUE(calendar.serve());
    const Message answer = hear();
    EXPECT_EQ(answer.op, static_cast<uint32_t>(ack));
    EXPECT_EQ(answer.sequence, sequence);
    return answer.time;
  }

  VirtualClock clock;
  Calendar calendar{clock};
  UniqueFd guest;
  uint32_t sequence = 100;
};

TEST_F(CalendarTest, TheGuestRunsWhenItAskedTo) {
  ask(start, 7);
  ask(request, 5000);
  EXPECT_FALSE(calendar.guest_waits());
  ask(wait);
  EXPECT_TRUE(calendar.guest_waits());
  EXPECT_EQ(calendar.requested(), 5000U);

  std::thread other([this] {
    const Message m = hear();
    EXPECT_EQ(m.op, static_cast<uint32_t>(run));
    EXPECT_EQ(m.time, 5000U);
    const Message answer{ack, m.sequence, 0};
    send_all(guest.get(), std::as_bytes(std::span(&answer, 1)));
  });
  EXPECT_TRUE(calendar.run(std::nullopt));
  other.join();
  EXPECT_EQ(clock.now_ns(), 5000U);
  EXPECT_FALSE(calendar.guest_waits());
  EXPECT_FALSE(calendar.requested());
}

TEST_F(CalendarTest, TheGuestIsToldHowFarItMayGoAlone) {
  ask(request, 100);
  ask(wait);
  std::vector<Message> heard;
  std::thread other([&] {
    for (int i = 0; i < 3; ++i) {
      heard.push_back(hear());
      const Message answer{ack, heard.back().sequence, 0};
      send_all(guest.get(), std::as_bytes(std::span(&answer, 1)));
    }
  });
  EXPECT_TRUE(calendar.run(9000));
  EXPECT_TRUE(calendar.lower_free_until(9000)) << "not lower: nothing to say";
  EXPECT_TRUE(calendar.lower_free_until(4000));
  other.join();
  ASSERT_EQ(heard.size(), 3U);
  EXPECT_EQ(heard[0].op, static_cast<uint32_t>(free_until));
  EXPECT_EQ(heard[0].time, 9000U);
  EXPECT_EQ(heard[1].op, static_cast<uint32_t>(run));
  EXPECT_EQ(heard[2].op, static_cast<uint32_t>(free_until));
  EXPECT_EQ(heard[2].time, 4000U);
  ask(request, 4000);
  ask(wait);
  EXPECT_TRUE(calendar.lower_free_until(5000)) << "a guest that waits goes nowhere";
}

TEST_F(CalendarTest, TheRunningGuestOwnsTheTime) {
  ask(update, 1234);
  EXPECT_EQ(clock.now_ns(), 1234U);
  EXPECT_EQ(ask(get), 1234U);
}

TEST_F(CalendarTest, TheLastRequestCounts) {
  ask(request, 9000);
  ask(request, 4000);
  EXPECT_EQ(calendar.requested(), 4000U);
}

TEST_F(CalendarTest, AnIdleGuestHasNoRequest) {
  ask(request, 0x7fffffffffffffff);
  EXPECT_FALSE(calendar.requested());
}

TEST_F(CalendarTest, TheTimeOfDayIsFixed) {
  ask(update, 1'000'000'000);
  EXPECT_EQ(ask(get_tod), (uint64_t{1'704'067'200} + 1) * 1'000'000'000);
}

TEST_F(CalendarTest, NonsenseIsRefused) {
  ask(update, 1000);
  say(request, 999);
  EXPECT_THROW(calendar.serve(), ProtocolError) << "in the past";
  say(77);
  EXPECT_THROW(calendar.serve(), ProtocolError) << "no such message";
  say(ack);
  EXPECT_THROW(calendar.serve(), ProtocolError) << "acknowledges nothing";
  guest.reset();
  EXPECT_FALSE(calendar.serve());
}

}  // namespace
}  // namespace vgpu::transport
