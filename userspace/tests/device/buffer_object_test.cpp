// SPDX-License-Identifier: MIT
#include <cerrno>

#include "device_test.hpp"

namespace panthor::test {
namespace {

using BufferObjectTest = DeviceTest;

TEST_F(BufferObjectTest, SizeIsRoundedUpToPages) {
  EXPECT_EQ(BufferObject(device(), 1).size(), page);
  EXPECT_EQ(BufferObject(device(), page + 1).size(), 2 * page);
}

TEST_F(BufferObjectTest, NewMemoryIsZeroAndShared) {
  const BufferObject bo(device(), 4 * page);
  const Mapping first = bo.map();
  for (const uint64_t word : first.as<uint64_t>()) ASSERT_EQ(word, 0u);
  first.as<uint32_t>()[7] = 77;
  EXPECT_EQ(bo.map().as<uint32_t>()[7], 77u);
}

TEST_F(BufferObjectTest, BadArgumentsAreRefused) {
  EXPECT_ERRNO(EINVAL, BufferObject(device(), 0));
  EXPECT_ERRNO(EINVAL, BufferObject(device(), page, static_cast<BoFlags>(1u << 31)));
  EXPECT_ERRNO(EINVAL, BufferObject(device(), page, BoFlags::no_mmap | BoFlags::wb_mmap));
}

TEST_F(BufferObjectTest, NoMmap_HasNoOffset) {
  const BufferObject bo(device(), page, BoFlags::no_mmap);
  EXPECT_ERRNO(EPERM, (void)bo.map());
}

TEST_F(BufferObjectTest, WriteBackMapping_Works) {
  if (device().version() < has_bo_sync) GTEST_SKIP() << "driver older than 1.7";
  const BufferObject bo(device(), page, BoFlags::wb_mmap);
  bo.map().as<uint32_t>()[0] = 1;
  EXPECT_EQ(bo.map().as<uint32_t>()[0], 1u);
}

TEST_F(BufferObjectTest, Label_HasALimit) {
  const BufferObject bo(device(), page);
  EXPECT_NO_THROW(bo.set_label("device test"));
  EXPECT_NO_THROW(bo.set_label(""));
  EXPECT_NO_THROW(bo.set_label(std::string(BufferObject::max_label - 1, 'x')));
  EXPECT_ERRNO(E2BIG, bo.set_label(std::string(BufferObject::max_label, 'x')));
}

TEST_F(BufferObjectTest, Exclusive_BindsOnlyToItsVm) {
  const VirtualMemory other(device());
  const BufferObject bo(device(), page, BoFlags::none, &other);
  EXPECT_NO_THROW(other.map(bo, 0x10000));
  EXPECT_ERRNO(EINVAL, vm().map(bo, 0x10000));
}

TEST_F(BufferObjectTest, Exclusive_IsWrittenByJobs) {
  const BufferObject bo(device(), page, BoFlags::none, &vm());
  const uint64_t va = session().address_space(page);
  vm().map(bo, va, BindFlags::noexec);
  session().run(session().group(), 0, store(va, 0xe1), "store");
  EXPECT_EQ(bo.map().as<uint32_t>()[0], 0xe1u);
}

TEST_F(BufferObjectTest, BoundMemoryOutlivesTheHandle) {
  const uint64_t va = session().address_space(page);
  Mapping view;
  {
    const BufferObject bo(device(), page);
    view = bo.map();
    vm().map(bo, va, BindFlags::noexec);
  }
  session().run(session().group(), 0, store(va, 0xa11), "store");
  EXPECT_EQ(view.as<uint32_t>()[0], 0xa11u);
}

}  // namespace
}  // namespace panthor::test
