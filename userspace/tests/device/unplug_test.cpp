// SPDX-License-Identifier: MIT
// A device that goes away under its open files. On the virtual GPU only: a board's display may hang on it.
#include <drm/panthor_drm.h>
#include <sys/mman.h>
#include <unistd.h>
#include <xf86drm.h>

#include <cerrno>
#include <filesystem>
#include <fstream>

#include "virtual_gpu_test.hpp"

namespace panthor::test {
namespace {

class UnplugTest : public VirtualGpuTest {
 protected:
  void SetUp() override {
    VirtualGpuTest::SetUp();
    if (IsSkipped()) return;
    const std::string node = std::filesystem::path(device().path()).filename();
    const std::filesystem::path platform_device =
        std::filesystem::canonical("/sys/class/drm/" + node + "/device");
    driver_ = std::filesystem::canonical(platform_device / "driver");
    name_ = platform_device.filename();
  }
  void TearDown() override {
    if (unbound_) bind();
  }

  void unbind() {
    write("unbind");
    unbound_ = true;
  }
  void bind() {
    write("bind");
    unbound_ = false;
  }

 private:
  void write(const char* attribute) const {
    std::ofstream file(driver_ / attribute);
    file << name_ << std::flush;
    ASSERT_TRUE(file) << attribute << " " << name_;
  }

  std::filesystem::path driver_;
  std::string name_;
  bool unbound_ = false;
};

TEST_F(UnplugTest, OpenFileOfAGoneDevice_IsToldSo) {
  const BufferObject bo(device(), page);
  const uint64_t offset = bo.mmap_offset();
  const Group group = session().group();
  unbind();
  EXPECT_ERRNO(ENODEV, (void)device().gpu_info());
  EXPECT_ERRNO(ENODEV, (void)VirtualMemory(device()));
  EXPECT_ERRNO(ENODEV, BufferObject(device(), page));
  EXPECT_ERRNO(ENODEV, vm().map(bo, 0x10000));
  EXPECT_ERRNO(ENODEV, (void)vm().state());
  EXPECT_ERRNO(ENODEV, (void)session().group());
  EXPECT_ERRNO(ENODEV, (void)group.state());
  EXPECT_ERRNO(ENODEV, group.submit(QueueSubmit{}));
  EXPECT_ERRNO(ENODEV, TilerHeap(device(), vm()));
  EXPECT_ERRNO(ENODEV, bo.set_label("gone"));
  EXPECT_ERRNO(ENODEV, Mapping(device().fd(), offset, page, Mapping::Protection::read)) << "a buffer";
  EXPECT_ERRNO(ENODEV, FlushIdPage{device()}) << "the flush id";
}

TEST_F(UnplugTest, DeviceThatComesBack_Works) {
  unbind();
  bind();
  Session fresh(Device::open_first(), hang_timeout);
  const GpuBuffer memory = fresh.buffer(page);
  const auto stream = fresh.stream([&](CommandStreamBuilder& cs) {
    streams::store(cs, memory.va(), 0xbac);
    streams::publish(cs);
  });
  fresh.run(fresh.group(), 0, stream, "job after the rebind");
  EXPECT_EQ(memory.read32(0), 0xbacu);
  EXPECT_ERRNO(ENODEV, (void)device().gpu_info()) << "the old file does not follow";
}

TEST_F(UnplugTest, MappedBuffer_OutlivesTheDevice) {
  const GpuBuffer memory = session().buffer(page);
  memory.write32(0, 0x11);
  unbind();
  memory.write32(4, 0x22);
  EXPECT_EQ(memory.read32(0), 0x11u);
  EXPECT_EQ(memory.read32(4), 0x22u);
}

}  // namespace
}  // namespace panthor::test
