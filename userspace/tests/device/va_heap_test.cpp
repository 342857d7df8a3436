// SPDX-License-Identifier: MIT
#include <drm/panthor_drm.h>
#include <panthor_va_heap.h>
#include <sys/mman.h>
#include <xf86drm.h>

#include <cerrno>
#include <string>
#include <vector>

#include "device_test.hpp"

namespace panthor::test {
namespace {

constexpr uint64_t kib = 1ull << 10;
constexpr uint64_t mib = 1ull << 20;
constexpr uint64_t gib = 1ull << 30;
constexpr uint64_t line = 4 * gib;

class VaHeapTest : public DeviceTest {
 protected:
  void SetUp() override {
    DeviceTest::SetUp();
    if (!IsSkipped() && !device().has_va_features(VaFeatures::heap))
      GTEST_SKIP() << "kernel without VA heaps";
  }

  VirtualMemory vm_with_heap(uint64_t start, uint64_t size) const {
    return {device(), 0, VaHeap{.start = start, .size = size}};
  }
  [[nodiscard]] BufferObject buffer(uint64_t bytes) const { return {device(), bytes, BoFlags::no_mmap}; }
};

TEST_F(VaHeapTest, PlacedMapping_IsReachedByTheGpu) {
  Session with_heap(Device::open(device().path()), hang_timeout,
                    VaHeap{.start = Session::first_heap_va, .size = 1ull << 45});
  const BufferObject bo(with_heap.device(), 3 * mib);
  const uint64_t va = with_heap.vm().place(bo, {}, BindFlags::noexec);
  EXPECT_EQ(va, Session::first_heap_va) << "lowest fit";
  const auto stream = with_heap.stream([&](CommandStreamBuilder& cs) {
    streams::store(cs, va + 3 * mib - 4, 0x91ace);
    streams::publish(cs);
  });
  with_heap.run(with_heap.group(), 0, stream, "store into a placed mapping");
  EXPECT_EQ(bo.map().as<uint32_t>().back(), 0x91aceu);
}

TEST_F(VaHeapTest, ConstraintsHold) {
  const VirtualMemory vm = vm_with_heap(line - 8 * mib, line + 16 * mib);
  const BufferObject small = buffer(64 * kib);
  const BufferObject large = buffer(4 * mib);
  EXPECT_EQ(vm.place(small), line) << "above 4 GiB first";
  EXPECT_EQ(vm.place(small, {.flags = PlaceFlags::below_4g}), line - 8 * mib);
  EXPECT_EQ(vm.place(small, {.alignment = 2 * mib}), line + 2 * mib);
  EXPECT_EQ(vm.place(large), line + 4 * mib) << "2 MiB and more: aligned to 2 MiB";
  EXPECT_EQ(vm.place(large, {.alignment = 1 * gib, .flags = PlaceFlags::no_cross_4g}), line + 1 * gib);
  EXPECT_EQ(vm.place(large, {.flags = PlaceFlags::below_4g}), line - 6 * mib);
  EXPECT_ERRNO(ENOSPC, (void)vm.place(large, {.flags = PlaceFlags::below_4g}));
  EXPECT_EQ(vm.place(large, {.alignment = 16 * mib}), line + 16 * mib);
}

TEST_F(VaHeapTest, NoCross_SkipsTheEndOfA4GiBBlock) {
  // 6 MiB up to 8 GiB, then 8 MiB more.
  const VirtualMemory vm = vm_with_heap(2 * line - 6 * mib, 14 * mib);
  const BufferObject bo = buffer(4 * mib);
  const PlaceFlags no_cross = PlaceFlags::no_cross_4g;
  EXPECT_EQ(vm.place(bo, {.flags = no_cross}), 2 * line - 6 * mib);
  EXPECT_EQ(vm.place(bo, {.flags = no_cross}), 2 * line);
  EXPECT_EQ(vm.place(bo, {.flags = no_cross}), 2 * line + 4 * mib);
  EXPECT_ERRNO(ENOSPC, (void)vm.place(bo));
  vm.unmap(2 * line, 4 * mib);
  EXPECT_EQ(vm.place(bo), 2 * line - 2 * mib) << "without the flag it may cross";
}

TEST_F(VaHeapTest, FullHeap_SaysSoAndGoesOn) {
  const VirtualMemory vm = vm_with_heap(line, 1 * mib);
  const BufferObject bo = buffer(256 * kib);
  std::vector<uint64_t> taken;
  for (unsigned i = 0; i < 4; ++i) taken.push_back(vm.place(bo));
  EXPECT_ERRNO(ENOSPC, (void)vm.place(bo));
  EXPECT_EQ(vm.state(), VmState::usable);
  vm.unmap(taken[2], 256 * kib);
  EXPECT_EQ(vm.place(bo), taken[2]);
}

TEST_F(VaHeapTest, PartsOfMappingsComeBack) {
  const VirtualMemory vm = vm_with_heap(line, 1 * mib);
  const BufferObject all = buffer(1 * mib);
  const BufferObject two_pages = buffer(2 * page);
  EXPECT_EQ(vm.place(all), line);
  vm.unmap(line + 16 * page, page);
  vm.unmap(line + 32 * page, 3 * page);
  EXPECT_EQ(vm.place(two_pages), line + 32 * page);
  vm.unmap(0, vm.user_va_range());
  EXPECT_EQ(vm.place(all), line) << "everything at once";
}

TEST_F(VaHeapTest, FixedMappingsAreGoneRound) {
  const VirtualMemory vm = vm_with_heap(line, 1 * mib);
  const BufferObject bo = buffer(64 * kib);
  vm.map(bo, line + 64 * kib);
  vm.map(bo, line - 64 * kib);
  EXPECT_EQ(vm.place(bo), line);
  EXPECT_EQ(vm.place(bo), line + 128 * kib);
  vm.map(bo, line + 64 * kib);  // over itself: still one mapping
  vm.unmap(line + 64 * kib, 64 * kib);
  EXPECT_EQ(vm.place(bo), line + 64 * kib);
}

TEST_F(VaHeapTest, FailedSyncBind_KeepsWhatWasDone) {
  const VirtualMemory vm = vm_with_heap(line, 1 * mib);
  const BufferObject half = buffer(512 * kib);
  const BufferObject big = buffer(2 * mib);
  std::vector<BindOp> ops = {BindOp::place(half), BindOp::place(big), BindOp::place(half)};
  try {
    vm.place(ops);
    FAIL() << "placed 2 MiB in 1 MiB";
  } catch (const std::system_error& error) {
    EXPECT_EQ(error.code().value(), ENOSPC);
    EXPECT_NE(std::string(error.what()).find("failed op 1: place"), std::string::npos) << error.what();
  }
  EXPECT_EQ(vm.place(half), line + 512 * kib) << "the first of the failed call is mapped, the third is not";
  EXPECT_ERRNO(ENOSPC, (void)vm.place(half));
}

TEST_F(VaHeapTest, FailedMap_GivesItsAddressBack) {
  const VirtualMemory vm = vm_with_heap(line, 1 * mib);
  const BufferObject bo = buffer(1 * mib);
  BindOp op = BindOp::place(bo);
  op.size = 512 * kib;
  op.bo_offset = 768 * kib;
  EXPECT_ERRNO(EINVAL, vm.place(std::span(&op, 1)));
  op = BindOp::place(bo);
  op.bo_handle = 0xffff;
  EXPECT_ERRNO(EINVAL, vm.place(std::span(&op, 1)));
  EXPECT_EQ(vm.place(bo), line);
}

TEST_F(VaHeapTest, AsyncPlacement_KnowsItsAddressAtOnce) {
  const VirtualMemory vm = vm_with_heap(line, 1 * mib);
  const BufferObject bo = buffer(512 * kib);
  const Syncobj done(device());
  std::vector<BindOp> ops = {BindOp::place(bo), BindOp::place(bo, {}, BindFlags::none, {done.signal_op()})};
  vm.place_async(ops);
  EXPECT_EQ(ops[0].va, line);
  EXPECT_EQ(ops[1].va, line + 512 * kib);
  EXPECT_ERRNO(ENOSPC, (void)vm.place(bo)) << "taken, mapped or not";
  ASSERT_TRUE(done.wait(hang_timeout));
  vm.unmap(ops[0].va, 512 * kib);
  EXPECT_EQ(vm.place(bo), line);
}

TEST_F(VaHeapTest, AsyncBindThatIsRefused_TakesNothing) {
  const VirtualMemory vm = vm_with_heap(line, 1 * mib);
  const BufferObject bo = buffer(512 * kib);
  std::vector<BindOp> ops = {BindOp::place(bo), BindOp::place(bo), BindOp::place(bo)};
  EXPECT_ERRNO(ENOSPC, vm.place_async(ops));
  EXPECT_EQ(vm.place(bo), line);
  EXPECT_EQ(vm.place(bo), line + 512 * kib);
}

/// A heap of one mapping, and a job that keeps the bind queue waiting until it is let go.
class BlockedQueueTest : public VaHeapTest {
 protected:
  void SetUp() override {
    VaHeapTest::SetUp();
    if (IsSkipped()) return;
    gate_.emplace(session().buffer(page));
    group_.emplace(session().group_of(2));
    const auto blocked =
        session().stream([&](CommandStreamBuilder& cs) { streams::wait_greater(cs, gate_->va(), 0); });
    blocked_.emplace(device());
    session().submit(*group_, 0, blocked, *blocked_);
  }

  void let_go() {
    const auto open = session().stream([&](CommandStreamBuilder& cs) { streams::signal(cs, gate_->va()); });
    session().run(*group_, 1, open, "job that opens the gate");
  }

  /// Makes a bind wait until let_go().
  [[nodiscard]] SyncOp wait() const { return blocked_->wait_op(); }

 private:
  std::optional<GpuBuffer> gate_;
  std::optional<Group> group_;
  std::optional<Syncobj> blocked_;
};

TEST_F(BlockedQueueTest, AsyncUnmap_FreesWhenItRuns) {
  const VirtualMemory vm = vm_with_heap(line, 1 * mib);
  const BufferObject bo = buffer(1 * mib);
  const uint64_t va = vm.place(bo);
  const Syncobj done(device());
  vm.bind_async(BindOp::unmap(va, 1 * mib, {wait(), done.signal_op()}));
  EXPECT_ERRNO(ENOSPC, (void)vm.place(bo));
  let_go();
  ASSERT_TRUE(done.wait(hang_timeout));
  EXPECT_EQ(vm.place(bo), va);
}

TEST_F(BlockedQueueTest, QueuedMap_KeepsItsAddressThroughAnUnmapInFrontOfIt) {
  const VirtualMemory vm = vm_with_heap(line, 1 * mib);
  const BufferObject bo = buffer(512 * kib);
  const uint64_t va = vm.place(bo);
  const Syncobj unmapped(device());
  const Syncobj mapped(device());
  vm.bind_async(BindOp::unmap(va, 512 * kib, {wait(), unmapped.signal_op()}));
  vm.bind_async(BindOp::map(bo, va, BindFlags::none, {mapped.signal_op()}));
  EXPECT_EQ(vm.place(bo), line + 512 * kib);
  EXPECT_ERRNO(ENOSPC, (void)vm.place(bo));
  let_go();
  ASSERT_TRUE(mapped.wait(hang_timeout));
  EXPECT_ERRNO(ENOSPC, (void)vm.place(bo)) << "the queued map has its address";
  vm.unmap(va, 512 * kib);
  EXPECT_EQ(vm.place(bo), va);
}

TEST_F(BlockedQueueTest, VmDestroyedUnderAQueuedPlacement_IsFreed) {
  const BufferObject bo = buffer(512 * kib);
  const Syncobj done(device());
  {
    VirtualMemory vm = vm_with_heap(line, 1 * mib);
    std::vector<BindOp> ops = {BindOp::place(bo, {}, BindFlags::none, {wait(), done.signal_op()})};
    vm.place_async(ops);
    vm.destroy();
  }
  let_go();
  EXPECT_TRUE(done.wait(hang_timeout));
}

TEST_F(VaHeapTest, BadRequestsAreRefused) {
  const VirtualMemory with_heap = vm_with_heap(line, 1 * mib);
  const BufferObject bo = buffer(64 * kib);
  EXPECT_ERRNO(EINVAL, (void)vm().place(bo)) << "no heap";
  EXPECT_ERRNO(EINVAL, (void)with_heap.place(bo, {.alignment = 3 * page}));
  EXPECT_ERRNO(EINVAL, (void)with_heap.place(bo, {.alignment = page / 2}));
  EXPECT_ERRNO(EINVAL, (void)with_heap.place(bo, {.alignment = device().va_info()->max_placement_align * 2}));
  BindOp op = BindOp::place(bo);
  op.size = 0;
  EXPECT_ERRNO(EINVAL, with_heap.place(std::span(&op, 1)));
  op = BindOp::place(bo);
  op.kind = BindOp::Kind::unmap;
  EXPECT_ERRNO(EINVAL, with_heap.place(std::span(&op, 1)));
  op = BindOp::map(bo, line);
  op.flags = static_cast<BindFlags>(PlaceFlags::below_4g);
  EXPECT_ERRNO(EINVAL, with_heap.bind(op)) << "a constraint without a placement";
  EXPECT_EQ(with_heap.place(bo), line) << "none of it took an address";
}

TEST_F(VaHeapTest, BadHeapsAreRefused) {
  const uint64_t range = VirtualMemory(device()).user_va_range();
  EXPECT_ERRNO(EINVAL, vm_with_heap(line + 1, mib));
  EXPECT_ERRNO(EINVAL, vm_with_heap(line, mib + 1));
  EXPECT_ERRNO(EINVAL, vm_with_heap(line, 0));
  EXPECT_ERRNO(EINVAL, vm_with_heap(range, page));
  EXPECT_ERRNO(EINVAL, vm_with_heap(range - page, 2 * page));
  EXPECT_ERRNO(EINVAL, vm_with_heap(page, ~0ull - page + 1));
  EXPECT_NO_THROW(vm_with_heap(range - page, page));
  panthor_vm_create_heap args{};
  args.heap_start = page;
  EXPECT_EQ(drmIoctl(device().fd(), PANTHOR_IOCTL_VM_CREATE_HEAP, &args), -1)
      << "heap fields without the flag";
}

TEST_F(VaHeapTest, ReadonlyArray_IsEfaultAndTakesNothing) {
  const VirtualMemory with_heap = vm_with_heap(line, 64 * kib);
  const BufferObject bo = buffer(64 * kib);
  void* memory = mmap(nullptr, page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(memory, MAP_FAILED);
  auto* op = static_cast<drm_panthor_vm_bind_op*>(memory);
  *op = {.flags = static_cast<uint32_t>(DRM_PANTHOR_VM_BIND_OP_MAP_PLACE),
         .bo_handle = bo.handle(),
         .bo_offset = 0,
         .va = 0,
         .size = 64 * kib,
         .syncs = {}};
  ASSERT_EQ(mprotect(memory, page, PROT_READ), 0);
  drm_panthor_vm_bind args{
      .vm_id = with_heap.id(), .flags = 0, .ops = {sizeof(*op), 1, reinterpret_cast<__u64>(op)}};
  EXPECT_EQ(drmIoctl(device().fd(), DRM_IOCTL_PANTHOR_VM_BIND, &args), -1);
  EXPECT_EQ(errno, EFAULT);
  EXPECT_EQ(args.ops.count, 0u);
  munmap(memory, page);
  EXPECT_EQ(with_heap.place(bo), line);
}

TEST_F(VaHeapTest, ManyMappings_AllDiffer) {
  constexpr uint64_t count = 2000;
  const VirtualMemory vm = vm_with_heap(line, count * page);
  const BufferObject bo = buffer(page);
  for (uint64_t i = 0; i < count; ++i) ASSERT_EQ(vm.place(bo), line + i * page);
  EXPECT_ERRNO(ENOSPC, (void)vm.place(bo));
  for (uint64_t i = 0; i < count; i += 2) vm.unmap(line + i * page, page);
  for (uint64_t i = 0; i < count; i += 2) ASSERT_EQ(vm.place(bo), line + i * page);
}

}  // namespace
}  // namespace panthor::test
