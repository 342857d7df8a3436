// SPDX-License-Identifier: MIT
#include "core/event_queue.hpp"

#include <gtest/gtest.h>

#include <string>

namespace vgpu {
namespace {

class EventQueueTest : public testing::Test {
 protected:
  EventQueue::Action note(char c) {
    return [this, c] { ran += c; };
  }
  VirtualClock clock;
  EventQueue events{clock};
  std::string ran;
};

TEST_F(EventQueueTest, RunsInTimeOrderThenInOrderOfScheduling) {
  events.at(20, note('c'));
  events.at(10, note('a'));
  events.at(10, note('b'));
  events.at(30, note('d'));
  clock.advance_to(20);
  EXPECT_EQ(events.run_due(), 3u);
  EXPECT_EQ(ran, "abc");
  EXPECT_EQ(events.next_deadline_ns(), 30u);
}

TEST_F(EventQueueTest, NothingRunsEarly) {
  events.after(10, note('a'));
  clock.advance_to(9);
  EXPECT_EQ(events.run_due(), 0u);
  clock.advance_to(10);
  EXPECT_EQ(events.run_due(), 1u);
}

TEST_F(EventQueueTest, CancelledEventsDoNotRunAndCancelIsForgiving) {
  const auto id = events.at(5, note('a'));
  events.at(5, note('b'));
  events.cancel(id);
  events.cancel(id);
  events.cancel(0);
  clock.advance_to(5);
  events.run_due();
  EXPECT_EQ(ran, "b");
  EXPECT_EQ(events.next_deadline_ns(), std::nullopt);
}

TEST_F(EventQueueTest, AnEventMayCancelAnotherDueNow) {
  EventQueue::Id second = 0;
  events.at(5, [&] { events.cancel(second); });
  second = events.at(5, note('b'));
  clock.advance_to(5);
  events.run_due();
  EXPECT_EQ(ran, "");
}

TEST_F(EventQueueTest, WhatAnEventSchedulesForNowRunsInTheSameTurn) {
  events.at(5, [&] { events.after(0, note('b')); });
  clock.advance_to(5);
  EXPECT_EQ(events.run_due(), 2u);
  EXPECT_EQ(ran, "b");
}

TEST_F(EventQueueTest, ASelfReschedulingEventCannotHoldTheTurn) {
  std::function<void()> again = [&] { events.after(0, again); };
  events.after(0, again);
  EXPECT_EQ(events.run_due(10), 10u);
  EXPECT_EQ(events.next_deadline_ns(), 0u);
}

TEST(VirtualClock, NeverRunsBack) {
  VirtualClock clock;
  clock.advance_to(10);
  clock.advance_to(3);
  EXPECT_EQ(clock.now_ns(), 10u);
}

}  // namespace
}  // namespace vgpu
