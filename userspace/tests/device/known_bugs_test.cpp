// SPDX-License-Identifier: MIT
// What the drivers of kernels 7.0 to 7.3 get wrong. Disabled, because some take the kernel down: run them in
// a guest with --gtest_also_run_disabled_tests --gtest_filter='KnownBugsTest.*'. A driver without the bug
// passes them.
#include <drm/panthor_drm.h>
#include <xf86drm.h>

#include <cerrno>

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

}  // namespace
}  // namespace panthor::test
