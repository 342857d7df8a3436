// SPDX-License-Identifier: MIT
// Each call that may find no memory says which one it was, with what, and why. This program has a drmIoctl()
// of its own that refuses one request.
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <cerrno>
#include <system_error>

#include "ioctl.hpp"
#include "panthor/panthor.hpp"

namespace {

unsigned long refused_request = 0;

template <typename Arguments>
Arguments& as(void* arguments) {
  return *static_cast<Arguments*>(arguments);
}

}  // namespace

extern "C" int drmIoctl(int, unsigned long request, void* arguments) {
  if (request == refused_request) {
    errno = ENOMEM;
    return -1;
  }
  switch (request) {
    case DRM_IOCTL_PANTHOR_VM_CREATE:
      as<drm_panthor_vm_create>(arguments).id = 1;
      break;
    case DRM_IOCTL_PANTHOR_BO_CREATE:
      as<drm_panthor_bo_create>(arguments).handle = 1;
      break;
    case DRM_IOCTL_PANTHOR_GROUP_CREATE:
      as<drm_panthor_group_create>(arguments).group_handle = 1;
      break;
    case DRM_IOCTL_SYNCOBJ_CREATE:
      as<drm_syncobj_create>(arguments).handle = 1;
      break;
    default:
      break;
  }
  return 0;
}

namespace panthor {
namespace {

Device fake_device() {
  return {std::make_shared<const DrmFile>("/dev/null"), {1, 9, 0}};
}

struct Refusal {
  const char* name;
  unsigned long request;
  void (*call)(const Device& device);
  const char* message;
};

void PrintTo(const Refusal& refusal, std::ostream* out) {
  *out << refusal.name;
}

class OutOfMemory : public ::testing::TestWithParam<Refusal> {
 protected:
  void SetUp() override { refused_request = GetParam().request; }
  void TearDown() override { refused_request = 0; }
};

TEST_P(OutOfMemory, NamesTheCall) {
  const Device device = fake_device();
  try {
    GetParam().call(device);
    FAIL() << "nothing thrown";
  } catch (const std::system_error& error) {
    EXPECT_EQ(error.code().value(), ENOMEM);
    EXPECT_STREQ(error.what(), GetParam().message);
  }
}

const Refusal refusals[] = {
    {"VmCreate", DRM_IOCTL_PANTHOR_VM_CREATE,
     [](const Device& device) { VirtualMemory vm(device, 1ull << 47); },
     "DRM_IOCTL_PANTHOR_VM_CREATE(user_va_range=0x800000000000): Cannot allocate memory"},
    {"BoCreate", DRM_IOCTL_PANTHOR_BO_CREATE, [](const Device& device) { BufferObject bo(device, 1 << 20); },
     "DRM_IOCTL_PANTHOR_BO_CREATE(size=0x100000, flags=0x0, exclusive_vm=0): Cannot allocate memory"},
    {"SyncobjCreate", DRM_IOCTL_SYNCOBJ_CREATE, [](const Device& device) { Syncobj fence(device); },
     "DRM_IOCTL_SYNCOBJ_CREATE(flags=0x0): Cannot allocate memory"},
    {"Bind", DRM_IOCTL_PANTHOR_VM_BIND,
     [](const Device& device) { VirtualMemory(device).map(BufferObject(device, 1 << 20), 1ull << 32); },
     "DRM_IOCTL_PANTHOR_VM_BIND(vm=1, ops=1: map va=0x100000000 size=0x100000 bo=1 offset=0x0 "
     "flags=0x0 syncs=0): Cannot allocate memory"},
    {"GroupCreate", DRM_IOCTL_PANTHOR_GROUP_CREATE,
     [](const Device& device) { Group(device, VirtualMemory(device)); },
     "DRM_IOCTL_PANTHOR_GROUP_CREATE(vm=1, queues=1, priority=1): Cannot allocate memory"},
    {"Submit", DRM_IOCTL_PANTHOR_GROUP_SUBMIT,
     [](const Device& device) {
       const VirtualMemory vm(device);
       Group(device, vm).submit(QueueSubmit{});
     },
     "DRM_IOCTL_PANTHOR_GROUP_SUBMIT(group=1, jobs=1: queue=0 stream=0x0+0x0 latest_flush=0x0 syncs=0): "
     "Cannot allocate memory"},
    {"TilerHeapCreate", DRM_IOCTL_PANTHOR_TILER_HEAP_CREATE,
     [](const Device& device) { TilerHeap(device, VirtualMemory(device)); },
     "DRM_IOCTL_PANTHOR_TILER_HEAP_CREATE(vm=1, chunks=5..64, chunk_size=0x200000): Cannot allocate memory"},
};

INSTANTIATE_TEST_SUITE_P(Libpanthor, OutOfMemory, ::testing::ValuesIn(refusals),
                         [](const auto& refusal) { return std::string(refusal.param.name); });

TEST(OutOfAddressSpace, MappingNamesItsRange) {
  const UniqueFd file(::memfd_create("buffer", MFD_CLOEXEC));
  ASSERT_TRUE(file);
  try {
    const Mapping mapping(file.get(), 0x10000, 1ull << 56, Mapping::Protection::read);
    FAIL() << "nothing thrown";
  } catch (const std::system_error& error) {
    EXPECT_EQ(error.code().value(), ENOMEM);
    EXPECT_STREQ(error.what(), "mmap(offset=0x10000, size=0x100000000000000): Cannot allocate memory");
  }
}

}  // namespace
}  // namespace panthor
