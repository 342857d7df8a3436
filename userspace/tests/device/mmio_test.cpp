// SPDX-License-Identifier: MIT
// What mmap() on the render node gives and refuses: the flush id page and buffers.
#include <drm/panthor_drm.h>
#include <sys/mman.h>

#include "device_test.hpp"

namespace panthor::test {
namespace {

/// Maps and unmaps at once. Returns 0 or the errno.
int mmap_errno(const Device& device, uint64_t offset, size_t bytes, int protection = PROT_READ,
               int flags = MAP_SHARED) {
  void* const address = ::mmap(nullptr, bytes, protection, flags, device.fd(), static_cast<off_t>(offset));
  if (address == MAP_FAILED) return errno;
  ::munmap(address, bytes);
  return 0;
}

constexpr uint64_t flush_id = DRM_PANTHOR_USER_FLUSH_ID_MMIO_OFFSET;

using FlushIdMapping = DeviceTest;

// panthor_device_mmap_io()
TEST_F(FlushIdMapping, IsOneReadOnlySharedPage) {
  EXPECT_EQ(mmap_errno(device(), flush_id, page), 0);
  EXPECT_EQ(mmap_errno(device(), flush_id, 2 * page), EINVAL) << "two pages";
  EXPECT_EQ(mmap_errno(device(), flush_id, page, PROT_READ | PROT_WRITE), EINVAL) << "writable";
  EXPECT_EQ(mmap_errno(device(), flush_id, page, PROT_WRITE), EINVAL) << "write-only";
  EXPECT_EQ(mmap_errno(device(), flush_id, page, PROT_READ, MAP_PRIVATE), EINVAL) << "private";
  EXPECT_EQ(mmap_errno(device(), flush_id + page, page), EINVAL) << "the page behind it";
}

TEST_F(FlushIdMapping, CannotBeMadeWritableLater) {
  void* const address = ::mmap(nullptr, page, PROT_READ, MAP_SHARED, device().fd(), flush_id);
  ASSERT_NE(address, MAP_FAILED);
  EXPECT_EQ(::mprotect(address, page, PROT_READ | PROT_WRITE), -1);
  EXPECT_EQ(errno, EACCES);
  ::munmap(address, page);
}

TEST_F(FlushIdMapping, FollowsTheUserMmioOffset) {
  if (device().version() < has_user_mmio_offset) GTEST_SKIP() << "driver older than 1.5";
  constexpr uint64_t at_32_bits = DRM_PANTHOR_USER_MMIO_OFFSET_32BIT;
  constexpr uint64_t at_64_bits = DRM_PANTHOR_USER_MMIO_OFFSET_64BIT;
  const Device file = Device::open(device().path());
  EXPECT_EQ(mmap_errno(file, at_32_bits, page), EINVAL) << "before it is moved there";

  file.set_user_mmio_offset(UserMmioOffset::bits32);
  EXPECT_EQ(FlushIdPage(file, UserMmioOffset::bits32).current() & 0x7f000000, 0u);
  EXPECT_EQ(mmap_errno(file, at_64_bits, page), EINVAL) << "after it was moved away";
  EXPECT_EQ(mmap_errno(device(), at_64_bits, page), 0) << "another open file is not moved";
  const BufferObject bo(file, page);
  EXPECT_NO_THROW((void)bo.map()) << "buffers are below both offsets";

  file.set_user_mmio_offset(UserMmioOffset::bits64);
  EXPECT_EQ(mmap_errno(file, at_64_bits, page), 0);
  EXPECT_EQ(mmap_errno(file, at_32_bits, page), EINVAL);
}

using BufferMapping = DeviceTest;

// drm_gem_mmap(), panthor_gem_mmap()
TEST_F(BufferMapping, StaysInsideTheBuffer) {
  const BufferObject bo(device(), 4 * page);
  const uint64_t offset = bo.mmap_offset();
  EXPECT_EQ(mmap_errno(device(), offset, 4 * page, PROT_READ | PROT_WRITE), 0);
  EXPECT_EQ(mmap_errno(device(), offset, page), 0) << "a part of it";
  EXPECT_EQ(mmap_errno(device(), offset, 5 * page), EINVAL) << "more than it has";
  EXPECT_EQ(mmap_errno(device(), offset + page, page), EINVAL) << "an offset inside it";
  EXPECT_EQ(mmap_errno(device(), 0, page), EINVAL) << "no buffer";
}

TEST_F(BufferMapping, CannotBeCopyOnWrite) {
  const BufferObject bo(device(), page);
  EXPECT_EQ(mmap_errno(device(), bo.mmap_offset(), page, PROT_READ | PROT_WRITE, MAP_PRIVATE), EINVAL);
}

TEST_F(BufferMapping, BelongsToItsFile) {
  const BufferObject bo(device(), page);
  const Device other = Device::open(device().path());
  EXPECT_EQ(mmap_errno(other, bo.mmap_offset(), page), EACCES);
}

}  // namespace
}  // namespace panthor::test
