// SPDX-License-Identifier: MIT
#include "gem_handles.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

namespace panthor {
namespace {

TEST(GemHandles, LastOwnerCloses) {
  GemHandles handles;
  int closed = 0;
  const auto close = [&] { ++closed; };
  EXPECT_EQ(handles.acquire([] { return 7u; }), 7u);
  EXPECT_EQ(handles.acquire([] { return 7u; }), 7u);
  handles.release(7, close);
  EXPECT_EQ(closed, 0);
  handles.release(7, close);
  EXPECT_EQ(closed, 1);
}

TEST(GemHandles, HandlesAreCountedApart) {
  GemHandles handles;
  int closed = 0;
  handles.acquire([] { return 1u; });
  handles.acquire([] { return 2u; });
  handles.release(2, [&] { closed = 2; });
  EXPECT_EQ(closed, 2);
}

TEST(GemHandles, UnknownHandleIsNotClosed) {
  GemHandles handles;
  bool closed = false;
  handles.release(3, [&] { closed = true; });
  EXPECT_FALSE(closed);
}

TEST(GemHandles, FailedCreationHasNoOwner) {
  GemHandles handles;
  bool closed = false;
  EXPECT_THROW(handles.acquire([]() -> uint32_t { throw std::runtime_error("no handle"); }),
               std::runtime_error);
  handles.release(0, [&] { closed = true; });
  EXPECT_FALSE(closed);
}

}  // namespace
}  // namespace panthor
