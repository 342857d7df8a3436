// SPDX-License-Identifier: MIT
// What the drivers of kernels 7.0 to 7.3 get wrong. Disabled, because some take the kernel down: run them in
// a guest with --gtest_also_run_disabled_tests --gtest_filter='KnownBugsTest.*'. A driver without the bug
// passes them.
#include <drm/panthor_drm.h>
#include <xf86drm.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <iterator>
#include <thread>

#include "device_test.hpp"

namespace panthor::test {
namespace {

using KnownBugsTest = DeviceTest;

/// No syncobj has this handle.
constexpr uint32_t unknown_handle = 0xffff;

/// panthor_submit_ctx_add_sync_signal() frees a signal operation whose syncobj was not found through
/// panthor_sync_signal_free(), which drops a reference of that NULL syncobj: an oops any user can cause.
TEST_F(KnownBugsTest, DISABLED_SubmitThatSignalsAnUnknownSyncobj_IsRefused) {
  const Group group = session().group();
  const QueueSubmit job{.syncs = {{SyncOp::Kind::signal, false, unknown_handle, 0}}};
  EXPECT_ERRNO(EINVAL, group.submit(job));
  expect_device_works();
}

/// The same through VM_BIND.
TEST_F(KnownBugsTest, DISABLED_BindThatSignalsAnUnknownSyncobj_IsRefused) {
  EXPECT_ERRNO(EINVAL,
               vm().bind_async(BindOp::sync_only({{SyncOp::Kind::signal, false, unknown_handle, 0}})));
  expect_device_works();
}

/// panthor_ioctl_vm_bind() looks at one flag and ignores the others; PANTHOR_VM_BIND_FLAGS is defined and not
/// used.
TEST_F(KnownBugsTest, DISABLED_UnknownVmBindFlags_AreRefused) {
  drm_panthor_vm_bind args{.vm_id = vm().id(), .flags = 1u << 31, .ops = {}};
  args.ops.stride = sizeof(drm_panthor_vm_bind_op);
  EXPECT_EQ(drmIoctl(device().fd(), DRM_IOCTL_PANTHOR_VM_BIND, &args), -1);
  EXPECT_EQ(errno, EINVAL);
}

/// panthor_job_create() takes the group handle as u16: 0x10001 is group 1.
TEST_F(KnownBugsTest, DISABLED_GroupHandleBeyond16Bits_IsRefused) {
  const Group group = session().group();
  drm_panthor_queue_submit job{};
  drm_panthor_group_submit args{};
  args.group_handle = group.handle() | 0x10000;
  args.queue_submits = DRM_PANTHOR_OBJ_ARRAY(1, &job);
  EXPECT_EQ(drmIoctl(device().fd(), DRM_IOCTL_PANTHOR_GROUP_SUBMIT, &args), -1);
  EXPECT_EQ(errno, EINVAL);
}

/// panthor_vm_bind_exec_sync_op() returns before it looks at an operation of size 0, so that a sync-only
/// operation, which is for asynchronous binds, and operations of unknown type are accepted.
TEST_F(KnownBugsTest, DISABLED_SyncOnlyInASynchronousBind_IsRefused) {
  for (const uint32_t type : {static_cast<uint32_t>(DRM_PANTHOR_VM_BIND_OP_TYPE_SYNC_ONLY), 15u << 28}) {
    drm_panthor_vm_bind_op op{.flags = type, .bo_handle = 0, .bo_offset = 0, .va = 0, .size = 0, .syncs = {}};
    drm_panthor_vm_bind args{.vm_id = vm().id(), .flags = 0, .ops = DRM_PANTHOR_OBJ_ARRAY(1, &op)};
    EXPECT_EQ(drmIoctl(device().fd(), DRM_IOCTL_PANTHOR_VM_BIND, &args), -1) << std::hex << type;
  }
}

/// A map of size 0 does nothing in a synchronous bind. An asynchronous one goes on: at an address that is a
/// multiple of 512 GiB it is out of memory, since no page table is needed and kmem_cache_alloc_bulk() of none
/// returns 0; elsewhere drm_gpuvm_sm_map() gets an empty range.
TEST_F(KnownBugsTest, DISABLED_AsyncMapOfSizeZero_DoesNothing) {
  const BufferObject bo(device(), page);
  const uint64_t va = session().address_space(page);
  for (const uint64_t at : {uint64_t{0}, va}) {
    const Syncobj done(device());
    const auto op = BindOp::map_part(bo, 0, at, 0, BindFlags::noexec, {done.signal_op()});
    const int result = errno_of([&] { vm().bind_async(op); });
    EXPECT_EQ(result, 0) << "at " << std::hex << at;
    if (result == 0) {
      EXPECT_TRUE(done.wait(hang_timeout));
    }
    EXPECT_EQ(vm().state(), VmState::usable);
  }
  vm().map(bo, va, BindFlags::noexec);
  session().run(session().group(), 0, store(va, 1), "store");
  vm().unmap(va, page);
}

/// panthor_get_uobj_array() allocates whatever count says with kvmalloc_array(), which warns above INT_MAX
/// bytes: a kernel warning (with panic_on_warn the end) any user can cause.
TEST_F(KnownBugsTest, DISABLED_ArrayOf4GiElements_IsRefusedQuietly) {
  drm_panthor_vm_bind_op op{};
  drm_panthor_vm_bind args{.vm_id = vm().id(), .flags = 0, .ops = DRM_PANTHOR_OBJ_ARRAY(~0u, &op)};
  EXPECT_EQ(drmIoctl(device().fd(), DRM_IOCTL_PANTHOR_VM_BIND, &args), -1);
  EXPECT_EQ(errno, ENOMEM);
}

/// "The buffer object will never be CPU-mapped in userspace", but nothing looks at the flag when the buffer
/// is mapped: not at the offset it has all the same (next to that of the buffer before it) ...
TEST_F(KnownBugsTest, DISABLED_BufferWithoutMmap_CannotBeMappedAtAGuessedOffset) {
  const BufferObject before(device(), page);
  const BufferObject hidden(device(), page, BoFlags::no_mmap);
  const BufferObject after(device(), page);
  const auto [low, high] = std::minmax({before.mmap_offset(), after.mmap_offset()});
  for (uint64_t offset = low + page; offset < high && offset < low + 64 * page; offset += page)
    EXPECT_ERRNO(EINVAL, Mapping(device().fd(), offset, page, Mapping::Protection::read_write));
}

/// ... and not through its dma-buf.
TEST_F(KnownBugsTest, DISABLED_BufferWithoutMmap_CannotBeMappedAsDmaBuf) {
  const BufferObject hidden(device(), page, BoFlags::no_mmap);
  const UniqueFd exported = hidden.export_dma_buf();
  EXPECT_NE(0, errno_of([&] { Mapping(exported.get(), 0, page, Mapping::Protection::read_write); }));
}

/// drm_panthor_dev_query::size should say how much was copied; panthor_set_uobj() cannot change it.
TEST_F(KnownBugsTest, DISABLED_QueryOfALargerSize_ReturnsTheSizeCopied) {
  std::byte out[256]{};
  drm_panthor_dev_query args{
      .type = DRM_PANTHOR_DEV_QUERY_CSIF_INFO, .size = sizeof(out), .pointer = reinterpret_cast<__u64>(out)};
  ASSERT_EQ(drmIoctl(device().fd(), DRM_IOCTL_PANTHOR_DEV_QUERY, &args), 0);
  EXPECT_EQ(args.size, sizeof(drm_panthor_csif_info));
}

/// Kernel 7.0 does not compare the range of an operation with that of the kernel's own objects (7.2 does, in
/// panthor_vm_bind_prepare_op_ctx()): a user can replace and unmap the ring buffers and heap contexts of the
/// VM, and a buffer mapped there is never released.
TEST_F(KnownBugsTest, DISABLED_BindInTheKernelsRange_IsRefused) {
  const BufferObject bo(device(), page);
  const uint64_t kernels = vm().user_va_range();
  EXPECT_ERRNO(EINVAL, vm().map(bo, kernels));
  EXPECT_ERRNO(EINVAL, vm().bind_async(BindOp::map(bo, kernels + page)));
  EXPECT_ERRNO(EINVAL, vm().unmap(kernels, page));
  EXPECT_ERRNO(EINVAL, vm().bind_async(BindOp::unmap(0 - page, page)));
}

/// Kernel 7.0 compares the number of queues with the most any GPU has (MAX_CS_PER_CSG), not with what this
/// one has.
TEST_F(KnownBugsTest, DISABLED_GroupOfMoreQueuesThanTheGpuHas_IsRefused) {
  EXPECT_ERRNO(EINVAL, (void)session().group_of(session().csif().cs_slot_count + 1));
}

/// panthor_vm_exec_op() does not look at vm->destroyed: an asynchronous map that runs after VM_DESTROY has
/// emptied the VM fills it again, and nobody empties it after that. The mapping keeps the VM and the buffer,
/// pinned, for ever, also after the process is gone: any user can lose as much memory as there is.
TEST_F(KnownBugsTest, DISABLED_AsyncMapBehindVmDestroy_KeepsNoMemory) {
  const std::string gems = "/sys/kernel/debug/dri/" +
                           std::string(device().path()).substr(std::string("/dev/dri/renderD").size()) +
                           "/gems";
  const auto buffers = [&] {
    std::ifstream file(gems);
    return std::count(std::istreambuf_iterator<char>(file), {}, '\n');
  };
  if (buffers() == 0) GTEST_SKIP() << "no " << gems << " (root, CONFIG_DEBUG_FS)";
  const GpuBuffer memory = session().buffer(page);
  const Group group = session().group();
  const auto blocked =
      session().stream([&](CommandStreamBuilder& cs) { streams::wait_greater(cs, memory.va(), 0); });
  const Group opener = session().group();
  const auto open = session().stream([&](CommandStreamBuilder& cs) { streams::signal(cs, memory.va()); });
  const auto before = buffers();
  {
    const Syncobj gate(device());
    const Syncobj done(device());
    session().submit(group, 0, blocked, gate);
    VirtualMemory other(device(), 1ull << 40);
    {
      const BufferObject bo(device(), 16 * page);
      other.bind_async(BindOp::map(bo, 0x10000, BindFlags::noexec, {gate.wait_op(), done.signal_op()}));
    }
    other.destroy();
    session().run(opener, 0, open, "job that opens");
    ASSERT_TRUE(done.wait(hang_timeout)) << "the fence of a bind must signal, whatever becomes of its VM";
  }
  std::this_thread::sleep_for(200ms);  // what is freed is freed in a work item
  EXPECT_EQ(buffers(), before);
}

}  // namespace
}  // namespace panthor::test
