// SPDX-License-Identifier: MIT
#include "sync_ops.hpp"

#include <gtest/gtest.h>

namespace panthor {
namespace {

TEST(SyncOpArray, GivesEachJobItsPart) {
  SyncOpArray array;
  const SyncOp first[] = {{SyncOp::Kind::wait, false, 1, 0}, {SyncOp::Kind::signal, true, 2, 9}};
  const SyncOp third[] = {{SyncOp::Kind::signal, false, 3, 0}};
  array.append(first);
  array.append({});
  array.append(third);

  const auto ops_of = [&](size_t job) {
    const auto part = array.part(job);
    return std::span(reinterpret_cast<const drm_panthor_sync_op*>(part.array), part.count);
  };
  ASSERT_EQ(ops_of(0).size(), 2u);
  EXPECT_EQ(ops_of(0)[0].flags, 0u);
  EXPECT_EQ(ops_of(0)[1].flags, 0x80000001u) << "signal of a timeline point";
  EXPECT_EQ(ops_of(0)[1].timeline_value, 9u);
  EXPECT_TRUE(ops_of(1).empty());
  ASSERT_EQ(ops_of(2).size(), 1u);
  EXPECT_EQ(ops_of(2)[0].handle, 3u);
}

}  // namespace
}  // namespace panthor
