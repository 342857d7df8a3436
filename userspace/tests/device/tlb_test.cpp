// SPDX-License-Identifier: MIT
#include "device_test.hpp"

namespace panthor::test {
namespace {

/// The GPU caches translations. After a mapping has changed it must use the new one: these fail when the
/// driver, or the GPU model, leaves a stale entry in use.
using TlbTest = DeviceTest;

constexpr uint64_t block = 2ull << 20;

TEST_F(TlbTest, ReboundAddress_IsTheNewBuffer) {
  const BufferObject first(device(), page);
  const BufferObject second(device(), page);
  const uint64_t va = session().address_space(page);
  const Group group = session().group();
  vm().map(first, va, BindFlags::noexec);
  session().run(group, 0, store(va, 0xaaaa), "store to the first buffer");
  vm().map(second, va, BindFlags::noexec);  // replaces the mapping without an unmap between
  session().run(group, 0, store(va, 0xbbbb), "store to the second buffer");
  EXPECT_EQ(first.map().as<uint32_t>()[0], 0xaaaau);
  EXPECT_EQ(second.map().as<uint32_t>()[0], 0xbbbbu);
}

TEST_F(TlbTest, UnmappedAndReboundAddress_IsTheNewBuffer) {
  const uint64_t va = session().address_space(page);
  const Group group = session().group();
  for (uint32_t round = 1; round <= 20; ++round) {
    const BufferObject bo(device(), page);
    vm().map(bo, va, BindFlags::noexec);
    session().run(group, 0, store(va, round), "store");
    ASSERT_EQ(bo.map().as<uint32_t>()[0], round);
    vm().unmap(va, page);
  }
}

TEST_F(TlbTest, ReboundWhileTheGroupIsOnItsSlot_IsTheNewBuffer) {
  const GpuBuffer gate = session().buffer(page);
  const BufferObject first(device(), page);
  const BufferObject second(device(), page);
  const uint64_t va = session().address_space(page);
  const Group group = session().group_of(2);
  const Syncobj done(device());
  vm().map(first, va, BindFlags::noexec);
  // One job stores before and after it is blocked: the address space stays active all the time.
  const auto stream = session().stream([&](CommandStreamBuilder& cs) {
    streams::store(cs, va, 0xaaaa);
    streams::wait_greater(cs, gate.va(), 0);
    streams::store(cs, va, 0xbbbb);
    streams::publish(cs);
  });
  const auto open =
      session().stream([&](CommandStreamBuilder& cs) { streams::signal(cs, gate.va(), isa::Scope::csg); });
  session().submit(group, 0, stream, done);
  ASSERT_FALSE(done.wait(20ms));
  vm().map(second, va, BindFlags::noexec);
  session().run(group, 1, open, "release");
  session().finish(done, group, "job over the rebind");
  EXPECT_EQ(second.map().as<uint32_t>()[0], 0xbbbbu);
  EXPECT_NE(first.map().as<uint32_t>()[0], 0xbbbbu);
}

TEST_F(TlbTest, BlockSplitIntoPages_KeepsTheOtherPages) {
  const BufferObject large(device(), block);
  const BufferObject small(device(), page);
  const uint64_t va = session().address_space(block, block);
  const Group group = session().group();
  vm().map(large, va, BindFlags::noexec);
  session().run(group, 0, store(va + 5 * page, 1), "store through the block");
  vm().map(small, va + 5 * page, BindFlags::noexec);
  session().run(group, 0, store(va + 5 * page, 2), "store to the page replaced");
  session().run(group, 0, store(va + 6 * page, 3), "store to its neighbour");
  EXPECT_EQ(large.map().as<uint32_t>()[5 * page / 4], 1u);
  EXPECT_EQ(small.map().as<uint32_t>()[0], 2u);
  EXPECT_EQ(large.map().as<uint32_t>()[6 * page / 4], 3u);
}

TEST_F(TlbTest, SameAddressInTwoVms_IsTwoPlaces) {
  const VirtualMemory other(device(), 1ull << 40);
  const BufferObject here(device(), page);
  const BufferObject there(device(), page);
  const uint64_t va = session().address_space(page);
  vm().map(here, va, BindFlags::noexec);
  other.map(there, va, BindFlags::noexec);
  // The other VM needs the streams as well, at their address.
  const BufferObject code(device(), page);
  const uint64_t code_va = session().address_space(page);
  vm().map(code, code_va);
  other.map(code, code_va);
  const Mapping words = code.map();
  const auto build = [&](uint64_t offset, uint32_t value) {
    CommandStreamBuilder cs(words.as<uint64_t>().subspan(offset / 8), code_va + offset);
    streams::store(cs, va, value);
    streams::publish(cs);
    return cs.finish();
  };
  const auto store_here = build(0, 0x4e4e);
  const auto store_there = build(0x800, 0x7e7e);
  const Group group_here = session().group();
  const Group group_there(device(), other);
  session().run(group_here, 0, store_here, "store in the first VM");
  session().run(group_there, 0, store_there, "store in the second VM");
  EXPECT_EQ(here.map().as<uint32_t>()[0], 0x4e4eu);
  EXPECT_EQ(there.map().as<uint32_t>()[0], 0x7e7eu);
}

}  // namespace
}  // namespace panthor::test
