// SPDX-License-Identifier: MIT
#include <cerrno>
#include <string>
#include <vector>

#include "device_test.hpp"

namespace panthor::test {
namespace {

using VirtualMemoryTest = DeviceTest;

constexpr uint64_t any_va = 0x40'0000'0000;

TEST_F(VirtualMemoryTest, KernelChoosesARangeWhenAskedTo) {
  const VirtualMemory chosen(device());
  EXPECT_GE(chosen.user_va_range(), 1ull << 32);
  EXPECT_LT(chosen.user_va_range(), 1ull << device().gpu_info().va_bits());
  EXPECT_EQ(chosen.state(), VmState::usable);
}

TEST_F(VirtualMemoryTest, RangeThatLeavesTheKernelNothingIsRefused) {
  EXPECT_ERRNO(EINVAL, VirtualMemory(device(), 1ull << device().gpu_info().va_bits()));
  EXPECT_ERRNO(EINVAL, VirtualMemory(device(), ~0ull));
}

TEST_F(VirtualMemoryTest, FileHasALimit) {
  std::vector<VirtualMemory> vms;
  while (vms.size() < VirtualMemory::max_per_file - 1) vms.emplace_back(device(), 1ull << 32);
  EXPECT_ERRNO(EBUSY, vms.emplace_back(device(), 1ull << 32));
  vms.pop_back();
  EXPECT_NO_THROW(vms.emplace_back(device(), 1ull << 32));
}

TEST_F(VirtualMemoryTest, DestroyedVmIsGone) {
  VirtualMemory other(device());
  const BufferObject bo(device(), page);
  other.map(bo, any_va);
  EXPECT_NO_THROW(other.destroy());
  EXPECT_ERRNO(EINVAL, other.map(bo, any_va));
  EXPECT_ERRNO(EINVAL, (void)other.state());
}

TEST_F(VirtualMemoryTest, BadMapsAreRefused) {
  const BufferObject bo(device(), 2 * page);
  const auto with = [&](auto change) {
    BindOp op = BindOp::map(bo, any_va);
    change(op);
    return op;
  };
  EXPECT_ERRNO(EINVAL, vm().bind(with([](BindOp& op) { op.va += 1; })));
  EXPECT_ERRNO(EINVAL, vm().bind(with([](BindOp& op) { op.size -= 1; })));
  EXPECT_ERRNO(EINVAL, vm().bind(with([](BindOp& op) { op.bo_offset = 1; })));
  EXPECT_ERRNO(EINVAL, vm().bind(with([](BindOp& op) { op.size += page; })));
  EXPECT_ERRNO(EINVAL, vm().bind(with([](BindOp& op) { op.bo_offset = page; })));
  EXPECT_ERRNO(EINVAL, vm().bind(with([](BindOp& op) { op.bo_offset = 0ull - page; })));
  EXPECT_ERRNO(EINVAL, vm().bind(with([](BindOp& op) { op.bo_handle = 0xffff; })));
  EXPECT_ERRNO(EINVAL, vm().bind(with([](BindOp& op) { op.flags = static_cast<BindFlags>(1u << 27); })));
  EXPECT_ERRNO(EINVAL, vm().bind(with([](BindOp& op) { op.kind = static_cast<BindOp::Kind>(7); })));
  EXPECT_ERRNO(EINVAL, vm().bind(with([](BindOp& op) { op.va = 0ull - page; })));
  EXPECT_EQ(vm().state(), VmState::usable) << "a refused bind does not spoil the VM";
}

TEST_F(VirtualMemoryTest, BadUnmapsAreRefused) {
  BindOp op = BindOp::unmap(any_va, page);
  op.flags = BindFlags::readonly;
  EXPECT_ERRNO(EINVAL, vm().bind(op));
  op = BindOp::unmap(any_va, page);
  op.bo_handle = 1;
  EXPECT_ERRNO(EINVAL, vm().bind(op));
  op = BindOp::unmap(any_va, page);
  op.bo_offset = page;
  EXPECT_ERRNO(EINVAL, vm().bind(op));
}

TEST_F(VirtualMemoryTest, UnmapOfNothingIsFine) {
  EXPECT_NO_THROW(vm().unmap(any_va, 16 * page));
}

TEST_F(VirtualMemoryTest, SynchronousBindsTakeNoSyncs) {
  const Syncobj fence(device(), true);
  EXPECT_ERRNO(EINVAL, vm().bind(BindOp::unmap(any_va, page, {fence.wait_op()})));
}

TEST_F(VirtualMemoryTest, SyncOnly_NeedsSyncsAndNothingElse) {
  const Syncobj fence(device());
  EXPECT_ERRNO(EINVAL, vm().bind_async(BindOp::sync_only({})));
  BindOp op = BindOp::sync_only({fence.signal_op()});
  op.va = page;
  EXPECT_ERRNO(EINVAL, vm().bind_async(op));
  EXPECT_NO_THROW(vm().bind_async(BindOp::sync_only({fence.signal_op()})));
  EXPECT_TRUE(fence.wait(hang_timeout));
}

TEST_F(VirtualMemoryTest, ErrorNamesTheOperationThatFailed) {
  const BufferObject bo(device(), page);
  const BindOp ops[] = {BindOp::map(bo, any_va), BindOp::unmap(any_va + 1, page)};
  try {
    vm().bind(ops);
    FAIL() << "bound at an unaligned address";
  } catch (const std::system_error& error) {
    EXPECT_NE(std::string(error.what()).find("failed op 1: unmap va=0x4000000001"), std::string::npos)
        << error.what();
  }
}

TEST_F(VirtualMemoryTest, AddressAbove4GiB_IsReached) {
  const uint64_t addresses[] = {0x1'0000'0000, 0x1234'5678'9000, vm().user_va_range() - page};
  const Group group = session().group();
  for (const uint64_t va : addresses) {
    const BufferObject bo(device(), page);
    vm().map(bo, va, BindFlags::noexec);
    session().run(group, 0, store(va + 0x40, 0x4096), "store above 4 GiB");
    EXPECT_EQ(bo.map().as<uint32_t>()[0x10], 0x4096u) << std::hex << va;
  }
}

TEST_F(VirtualMemoryTest, MapWithOffset_ShowsThatPartOfTheBuffer) {
  const BufferObject bo(device(), 4 * page);
  const uint64_t va = session().address_space(2 * page);
  BindOp op = BindOp::map(bo, va, BindFlags::noexec);
  op.bo_offset = page;
  op.size = 2 * page;
  vm().bind(op);
  session().run(session().group(), 0, store(va + page, 0x0ff5), "store");
  EXPECT_EQ(bo.map().as<uint32_t>()[2 * page / 4], 0x0ff5u);
}

TEST_F(VirtualMemoryTest, LargeBuffer_IsWrittenAtBothEnds) {
  constexpr uint64_t bytes = 6ull << 20;
  const BufferObject bo(device(), bytes);
  const uint64_t va = session().address_space(bytes, 2 << 20);
  vm().map(bo, va, BindFlags::noexec);
  const Group group = session().group();
  session().run(group, 0, store(va, 1), "store at the start");
  session().run(group, 0, store(va + bytes - 4, 2), "store at the end");
  const Mapping view = bo.map();
  EXPECT_EQ(view.as<uint32_t>().front(), 1u);
  EXPECT_EQ(view.as<uint32_t>().back(), 2u);
}

TEST_F(VirtualMemoryTest, HoleInAMapping_LeavesTheRest) {
  constexpr uint64_t bytes = 4ull << 20;
  const BufferObject bo(device(), bytes);
  const uint64_t va = session().address_space(bytes, 2 << 20);
  vm().map(bo, va, BindFlags::noexec);
  vm().unmap(va + (1 << 20), page);  // splits a 2 MiB block where the kernel used one
  const Group group = session().group();
  session().run(group, 0, store(va + (1 << 20) - 4, 3), "store below the hole");
  session().run(group, 0, store(va + (1 << 20) + page, 4), "store above the hole");
  const Mapping view = bo.map();
  EXPECT_EQ(view.as<uint32_t>()[(1 << 18) - 1], 3u);
  EXPECT_EQ(view.as<uint32_t>()[(1 << 18) + page / 4], 4u);
}

TEST_F(VirtualMemoryTest, AsyncBind_WaitsAndSignals) {
  const BufferObject bo(device(), page);
  const uint64_t va = session().address_space(page);
  const Syncobj before(device());
  const Syncobj after(device());
  before.signal();
  vm().bind_async(BindOp::map(bo, va, BindFlags::noexec, {before.wait_op(), after.signal_op()}));
  ASSERT_TRUE(after.wait(hang_timeout));
  session().run(session().group(), 0, store(va, 0xa5), "store");
  EXPECT_EQ(bo.map().as<uint32_t>()[0], 0xa5u);
}

TEST_F(VirtualMemoryTest, AsyncBind_CarriesTimelinePointsThroughOneCall) {
  constexpr unsigned count = 16;
  const BufferObject bo(device(), count * page);
  const uint64_t va = session().address_space(count * page);
  const Syncobj chain(device(), false);
  std::vector<BindOp> ops;
  for (unsigned i = 0; i < count; ++i) {
    BindOp op = BindOp::map(bo, va + i * page, BindFlags::noexec, {chain.signal_op(i + 1)});
    op.bo_offset = i * page;
    op.size = page;
    if (i > 0) op.syncs.push_back(chain.wait_op(i));
    ops.push_back(std::move(op));
  }
  vm().bind_async(ops);
  ASSERT_TRUE(chain.wait_point(count, hang_timeout));
  EXPECT_EQ(chain.query(), count);
  session().run(session().group(), 0, store(va + (count - 1) * page, 0xeee), "store");
  EXPECT_EQ(bo.map().as<uint32_t>()[(count - 1) * page / 4], 0xeeeu);
}

TEST_F(VirtualMemoryTest, Sparse_NeedsNoexecAndNoBuffer) {
  if (device().version() < has_sparse) {
    EXPECT_ERRNO(EOPNOTSUPP, vm().bind(BindOp::sparse(any_va, 16 * page)));
    GTEST_SKIP() << "driver older than 1.8";
  }
  BindOp op = BindOp::sparse(any_va, 16 * page);
  op.flags = BindFlags::sparse;
  EXPECT_ERRNO(EINVAL, vm().bind(op));
  const BufferObject bo(device(), page);
  op = BindOp::sparse(any_va, 16 * page);
  op.bo_handle = bo.handle();
  EXPECT_ERRNO(EINVAL, vm().bind(op));
}

TEST_F(VirtualMemoryTest, Sparse_TakesStores) {
  const uint64_t va = session().address_space(64 * page);
  try {
    vm().bind(BindOp::sparse(va, 64 * page));
  } catch (const std::system_error& error) {
    ASSERT_LT(device().version(), has_mmu_info) << error.what();
    GTEST_SKIP() << "driver without MAP_SPARSE";
  }
  session().run(session().group(), 0, store(va + 63 * page, 1), "store into a sparse mapping");
}

}  // namespace
}  // namespace panthor::test
