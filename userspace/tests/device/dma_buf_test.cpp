// SPDX-License-Identifier: MIT
// Buffers shared as dma-bufs: between files of panthor, with the CPU, and from another driver.
#include <fcntl.h>
#include <linux/dma-heap.h>
#include <sys/ioctl.h>
#include <sys/mman.h>

#include "device_test.hpp"

namespace panthor::test {
namespace {

class DmaBufTest : public DeviceTest {
 protected:
  /// A dma-buf of `bytes` that no GPU driver made; empty when the kernel has no dma-heap.
  [[nodiscard]] static UniqueFd foreign_dma_buf(uint64_t bytes) {
    const UniqueFd heap(::open("/dev/dma_heap/system", O_RDWR | O_CLOEXEC));
    if (!heap) return UniqueFd();
    dma_heap_allocation_data args{.len = bytes, .fd = 0, .fd_flags = O_RDWR | O_CLOEXEC, .heap_flags = 0};
    if (::ioctl(heap.get(), DMA_HEAP_IOCTL_ALLOC, &args) != 0)
      throw std::system_error(errno, std::generic_category(), "DMA_HEAP_IOCTL_ALLOC");
    return UniqueFd(static_cast<int>(args.fd));
  }
};

TEST_F(DmaBufTest, ImportedIntoItsOwnFile_IsTheSameHandle) {
  const BufferObject bo(device(), page);
  std::optional<BufferObject> twin = BufferObject::import_dma_buf(device(), bo.export_dma_buf());
  EXPECT_EQ(twin->handle(), bo.handle());
  EXPECT_EQ(twin->size(), bo.size());
  twin.reset();
  EXPECT_NO_THROW((void)bo.map()) << "the handle went with one of its two owners";
}

TEST_F(DmaBufTest, ImportedIntoAnotherFile_IsTheSameMemory) {
  Session other(Device::open(device().path()), hang_timeout);
  const BufferObject bo(device(), 2 * page);
  const BufferObject twin = BufferObject::import_dma_buf(other.device(), bo.export_dma_buf());
  EXPECT_EQ(twin.size(), bo.size());
  const uint64_t va = other.address_space(twin.size());
  other.vm().map(twin, va, BindFlags::noexec);
  const auto stream = other.stream([&](CommandStreamBuilder& cs) {
    streams::store(cs, va + page, 0xd3a);
    streams::publish(cs);
  });
  other.run(other.group(), 0, stream, "store by the other file");
  EXPECT_EQ(bo.map().as<uint32_t>()[page / 4], 0xd3au);
}

TEST_F(DmaBufTest, ImportedFromPanthor_KeepsItsFlagsAndIsNotForeign) {
  if (device().version() < has_bo_sync) GTEST_SKIP() << "driver older than 1.7";
  const Device other = Device::open(device().path());
  for (const BoFlags flags : {BoFlags::none, BoFlags::no_mmap, BoFlags::wb_mmap}) {
    const BufferObject bo(device(), page, flags);
    const BoInfo info = BufferObject::import_dma_buf(other, bo.export_dma_buf()).info();
    EXPECT_EQ(info.create_flags, flags);
    EXPECT_FALSE(info.imported);
  }
}

TEST_F(DmaBufTest, OutlivesTheBufferItCameFrom) {
  UniqueFd exported;
  {
    const BufferObject bo(device(), page);
    bo.map().as<uint32_t>()[3] = 0x3333;
    exported = bo.export_dma_buf();
  }
  const BufferObject back = BufferObject::import_dma_buf(device(), exported);
  EXPECT_EQ(back.map().as<uint32_t>()[3], 0x3333u);
}

TEST_F(DmaBufTest, IsMappedByTheCpu) {
  const BufferObject bo(device(), page);
  const UniqueFd exported = bo.export_dma_buf();
  const Mapping view(exported.get(), 0, page, Mapping::Protection::read_write);
  view.as<uint32_t>()[1] = 0x1111;
  EXPECT_EQ(bo.map().as<uint32_t>()[1], 0x1111u);
}

TEST_F(DmaBufTest, ExportedReadOnly_CannotBeMappedForWriting) {
  const BufferObject bo(device(), page);
  const UniqueFd exported = bo.export_dma_buf(false);
  EXPECT_NO_THROW(Mapping(exported.get(), 0, page, Mapping::Protection::read));
  EXPECT_ERRNO(EACCES, Mapping(exported.get(), 0, page, Mapping::Protection::read_write));
}

TEST_F(DmaBufTest, ExclusiveBuffer_IsNotExported) {
  const BufferObject bo(device(), page, BoFlags::none, &vm());
  EXPECT_ERRNO(EINVAL, (void)bo.export_dma_buf());
}

TEST_F(DmaBufTest, FromAnotherDriver_IsWrittenByTheGpu) {
  const UniqueFd exported = foreign_dma_buf(2 * page);
  if (!exported) GTEST_SKIP() << "no /dev/dma_heap/system (CONFIG_DMABUF_HEAPS_SYSTEM)";
  const BufferObject bo = BufferObject::import_dma_buf(device(), exported);
  EXPECT_EQ(bo.size(), 2 * page);
  const uint64_t va = session().address_space(bo.size());
  vm().map(bo, va, BindFlags::noexec);
  session().run(session().group(), 0, store(va + page, 0xf0e), "store into another driver's buffer");
  EXPECT_EQ(Mapping(exported.get(), 0, 2 * page, Mapping::Protection::read).as<uint32_t>()[page / 4], 0xf0eu);
}

TEST_F(DmaBufTest, FromAnotherDriver_SaysSoAndRefusesCacheOps) {
  const UniqueFd exported = foreign_dma_buf(page);
  if (!exported) GTEST_SKIP() << "no /dev/dma_heap/system (CONFIG_DMABUF_HEAPS_SYSTEM)";
  const BufferObject bo = BufferObject::import_dma_buf(device(), exported);
  EXPECT_TRUE(bo.info().imported);
  EXPECT_EQ(bo.info().create_flags, BoFlags::none);
  EXPECT_ERRNO(EINVAL, bo.sync(CacheOp::flush));
}

}  // namespace
}  // namespace panthor::test
