// SPDX-License-Identifier: MIT
// DEV_QUERY and what the DRM core does for every panthor ioctl.
#include <sys/mman.h>

#include <algorithm>

#include "requests/request_test.hpp"

namespace panthor::test {
namespace {

/// Memory whose last byte is followed by a page that faults.
class GuardedPage {
 public:
  GuardedPage()
      : address_(static_cast<std::byte*>(
            ::mmap(nullptr, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0))) {
    if (address_ == MAP_FAILED || ::mprotect(address_ + page, page, PROT_NONE) != 0)
      throw std::system_error(errno, std::generic_category(), "mmap");
  }
  ~GuardedPage() { ::munmap(address_, 2 * page); }
  GuardedPage(const GuardedPage&) = delete;
  GuardedPage& operator=(const GuardedPage&) = delete;

  /// The last `bytes` bytes.
  [[nodiscard]] std::byte* tail(size_t bytes) const { return address_ + page - bytes; }

 private:
  std::byte* address_;
};

struct DevQuery {
  explicit DevQuery(World&) {}
  int issue(World& world) { return raw_ioctl(world.device(), DRM_IOCTL_PANTHOR_DEV_QUERY, args); }

  /// Asks for `type` into the last `size` bytes of the page.
  void ask(uint32_t type, uint32_t size) {
    args = {.type = type, .size = size, .pointer = reinterpret_cast<__u64>(memory.tail(size))};
  }

  GuardedPage memory;
  drm_panthor_dev_query args{};
};

struct QueryType {
  const char* name;
  uint32_t type;
  uint32_t size;      ///< of the struct
  uint32_t smallest;  ///< size of the first version of the uAPI (PANTHOR_UOBJ_MIN_SIZE())
  DriverVersion since;
};

const QueryType query_types[] = {
    {"GpuInfo",
     DRM_PANTHOR_DEV_QUERY_GPU_INFO,
     sizeof(drm_panthor_gpu_info),
     offsetof(drm_panthor_gpu_info, core_features),
     {}},
    {"CsifInfo",
     DRM_PANTHOR_DEV_QUERY_CSIF_INFO,
     sizeof(drm_panthor_csif_info),
     sizeof(drm_panthor_csif_info),
     {}},
    {"TimestampInfo", DRM_PANTHOR_DEV_QUERY_TIMESTAMP_INFO, sizeof(drm_panthor_timestamp_info),
     offsetof(drm_panthor_timestamp_info, timestamp_offset), has_timestamp_info},
    {"GroupPriorities", DRM_PANTHOR_DEV_QUERY_GROUP_PRIORITIES_INFO,
     sizeof(drm_panthor_group_priorities_info), sizeof(drm_panthor_group_priorities_info),
     has_group_priorities},
    {"MmuInfo", 4, sizeof(uint64_t), sizeof(uint64_t), has_mmu_info},
};

std::vector<Case<DevQuery>> query_cases() {
  std::vector<Case<DevQuery>> table;
  for (const QueryType& query : query_types) {
    const auto add = [&](const char* name, int expected, auto change) {
      table.push_back({std::string(query.name) + name, expected,
                       [=](DevQuery& request, World&) { change(request); }, query.since});
    };
    add("", 0, [=](DevQuery& r) { r.ask(query.type, query.size); });
    add("OldestSize", 0, [=](DevQuery& r) { r.ask(query.type, query.smallest); });
    add("OneByteShort", EINVAL, [=](DevQuery& r) { r.ask(query.type, query.smallest - 1); });
    add("SizeZero", EINVAL, [=](DevQuery& r) { r.ask(query.type, 0); });
    add("LargerSize", 0, [=](DevQuery& r) { r.ask(query.type, query.size + 64); });
    add("SizeBeyondTheMapping", EFAULT, [=](DevQuery& r) {
      r.ask(query.type, query.size + 8);
      r.args.size += page;
    });
    add("BadPointer", EFAULT, [=](DevQuery& r) {
      r.ask(query.type, query.size);
      r.args.pointer = bad_pointer;
    });
    add("SizeOnly", 0, [=](DevQuery& r) { r.args.type = query.type; });
  }
  for (const uint32_t type : {5u, 0xffffu, ~0u}) {
    const std::string name = "UnknownType" + std::to_string(type);
    table.push_back({name, EINVAL, [=](DevQuery& r, World&) { r.ask(type, 64); }});
    table.push_back({name + "SizeOnly", EINVAL, [=](DevQuery& r, World&) { r.args.type = type; }});
  }
  return table;
}

/// Flags of TIMESTAMP_INFO.
struct TimestampQuery : DevQuery {
  explicit TimestampQuery(World& world) : DevQuery(world) {
    args = {.type = DRM_PANTHOR_DEV_QUERY_TIMESTAMP_INFO,
            .size = sizeof(info.known),
            .pointer = reinterpret_cast<__u64>(&info)};
  }
  struct {
    drm_panthor_timestamp_info known{};
    uint64_t unknown = 0;
  } info;
};

std::vector<Case<TimestampQuery>> timestamp_cases() {
  std::vector<Case<TimestampQuery>> table;
  const auto add = [&](const std::string& name, int expected, uint32_t flags) {
    table.push_back({name, expected, [=](TimestampQuery& r, World&) { r.info.known.flags = flags; },
                     has_timestamp_flags});
  };
  add("Gpu", 0, DRM_PANTHOR_TIMESTAMP_GPU);
  add("CpuMonotonic", 0, DRM_PANTHOR_TIMESTAMP_CPU_MONOTONIC);
  add("CpuMonotonicRaw", 0, DRM_PANTHOR_TIMESTAMP_CPU_MONOTONIC_RAW);
  add("GpuOffset", 0, DRM_PANTHOR_TIMESTAMP_GPU_OFFSET);
  add("CycleCount", 0, DRM_PANTHOR_TIMESTAMP_GPU_CYCLE_COUNT);
  add("Frequency", 0, DRM_PANTHOR_TIMESTAMP_FREQ);
  add("Duration", 0, DRM_PANTHOR_TIMESTAMP_DURATION);
  add("Everything", 0, 0xf3);
  for (uint32_t clock = 3; clock < 8; ++clock)
    add("UnknownCpuClock" + std::to_string(clock), EINVAL, clock << 1);
  for (unsigned bit = 8; bit < 32; ++bit) add("UnknownFlag" + std::to_string(bit), EINVAL, 1u << bit);
  table.push_back({"LargerSizeWithAnUnknownField", E2BIG,
                   [](TimestampQuery& r, World&) {
                     r.args.size = sizeof(r.info);
                     r.info.unknown = 1;
                   },
                   has_timestamp_flags});
  return table;
}

PANTHOR_REQUEST_TABLE(DevQueryRequest, DevQuery, query_cases());
PANTHOR_REQUEST_TABLE(TimestampRequest, TimestampQuery, timestamp_cases());

using QuerySizes = DeviceTest;

TEST_F(QuerySizes, NullPointerReturnsTheKernelsSize) {
  for (const QueryType& query : query_types) {
    if (device().version() < query.since) continue;
    drm_panthor_dev_query args{.type = query.type, .size = 0, .pointer = 0};
    ASSERT_EQ(raw_ioctl(device(), DRM_IOCTL_PANTHOR_DEV_QUERY, args), 0) << query.name;
    EXPECT_GE(args.size, query.smallest) << query.name;
    EXPECT_LE(args.size, query.size) << query.name << ": the kernel knows more than this test";
  }
}

TEST_F(QuerySizes, WhatTheKernelDoesNotKnowIsZero) {
  for (const QueryType& query : query_types) {
    if (device().version() < query.since) continue;
    std::vector<std::byte> out(query.size + 64);
    drm_panthor_dev_query args{.type = query.type, .size = 0, .pointer = 0};
    ASSERT_EQ(raw_ioctl(device(), DRM_IOCTL_PANTHOR_DEV_QUERY, args), 0) << query.name;
    const uint32_t known = args.size;
    // What comes in with TIMESTAMP_INFO is read too, and must be zero where the kernel knows no field.
    if (query.type != DRM_PANTHOR_DEV_QUERY_TIMESTAMP_INFO) std::ranges::fill(out, std::byte{0xff});
    args = {.type = query.type,
            .size = static_cast<uint32_t>(out.size()),
            .pointer = reinterpret_cast<__u64>(out.data())};
    ASSERT_EQ(raw_ioctl(device(), DRM_IOCTL_PANTHOR_DEV_QUERY, args), 0) << query.name;
    EXPECT_TRUE(std::all_of(out.begin() + known, out.end(), [](std::byte b) { return b == std::byte{0}; }))
        << query.name;
  }
}

using TimestampFields = DeviceTest;

TEST_F(TimestampFields, AreZeroUnlessAskedFor) {
  if (device().version() < has_timestamp_flags) GTEST_SKIP() << "driver older than 1.8";
  struct Field {
    uint32_t flag;
    uint64_t (*value)(const drm_panthor_timestamp_info&);
  };
  constexpr uint32_t cpu = DRM_PANTHOR_TIMESTAMP_CPU_MONOTONIC | DRM_PANTHOR_TIMESTAMP_CPU_MONOTONIC_RAW;
  const Field fields[] = {
      {DRM_PANTHOR_TIMESTAMP_GPU, [](const auto& info) -> uint64_t { return info.current_timestamp; }},
      {DRM_PANTHOR_TIMESTAMP_GPU_OFFSET, [](const auto& info) -> uint64_t { return info.timestamp_offset; }},
      {DRM_PANTHOR_TIMESTAMP_FREQ, [](const auto& info) -> uint64_t { return info.timestamp_frequency; }},
      {DRM_PANTHOR_TIMESTAMP_GPU_CYCLE_COUNT, [](const auto& info) -> uint64_t { return info.cycle_count; }},
      {DRM_PANTHOR_TIMESTAMP_DURATION, [](const auto& info) -> uint64_t { return info.duration_nsec; }},
      {cpu, [](const auto& info) -> uint64_t { return info.cpu_timestamp_sec | info.cpu_timestamp_nsec; }},
  };
  for (const uint32_t asked : {1u << 0, 1u << 1, 2u << 1, 1u << 4, 1u << 5, 1u << 6, 1u << 7}) {
    drm_panthor_timestamp_info info;
    std::memset(&info, 0xff, sizeof(info));
    info.flags = asked;
    drm_panthor_dev_query args{.type = DRM_PANTHOR_DEV_QUERY_TIMESTAMP_INFO,
                               .size = sizeof(info),
                               .pointer = reinterpret_cast<__u64>(&info)};
    ASSERT_EQ(raw_ioctl(device(), DRM_IOCTL_PANTHOR_DEV_QUERY, args), 0);
    EXPECT_EQ(info.flags, asked);
    for (const Field& field : fields) {
      if ((field.flag & asked) == 0) {
        EXPECT_EQ(field.value(info), 0u) << "flag " << field.flag << " while asked for " << asked;
      } else {
        EXPECT_NE(field.value(info), ~0ull) << "flag " << field.flag << " was not answered";
      }
    }
  }
}

struct IoctlNumber {
  const char* name;
  unsigned long request;
  DriverVersion since{};
};

#define PANTHOR_IOCTL(name, ...) \
  { #name, DRM_IOCTL_PANTHOR_##name, __VA_ARGS__ }
const IoctlNumber every_ioctl[] = {
    PANTHOR_IOCTL(DEV_QUERY, {}),
    PANTHOR_IOCTL(VM_CREATE, {}),
    PANTHOR_IOCTL(VM_DESTROY, {}),
    PANTHOR_IOCTL(VM_BIND, {}),
    PANTHOR_IOCTL(VM_GET_STATE, {}),
    PANTHOR_IOCTL(BO_CREATE, {}),
    PANTHOR_IOCTL(BO_MMAP_OFFSET, {}),
    PANTHOR_IOCTL(GROUP_CREATE, {}),
    PANTHOR_IOCTL(GROUP_DESTROY, {}),
    PANTHOR_IOCTL(GROUP_SUBMIT, {}),
    PANTHOR_IOCTL(GROUP_GET_STATE, {}),
    PANTHOR_IOCTL(TILER_HEAP_CREATE, {}),
    PANTHOR_IOCTL(TILER_HEAP_DESTROY, {}),
    PANTHOR_IOCTL(BO_SET_LABEL, has_bo_label),
    PANTHOR_IOCTL(SET_USER_MMIO_OFFSET, has_user_mmio_offset),
    PANTHOR_IOCTL(BO_SYNC, has_bo_sync),
    PANTHOR_IOCTL(BO_QUERY_INFO, has_bo_sync),
};
#undef PANTHOR_IOCTL

using EveryIoctl = DeviceTest;

TEST_F(EveryIoctl, RefusesABadArgumentPointer) {
  for (const IoctlNumber& ioctl : every_ioctl) {
    if (device().version() < ioctl.since) continue;
    EXPECT_EQ(drmIoctl(device().fd(), ioctl.request, nullptr), -1) << ioctl.name;
    EXPECT_EQ(errno, EFAULT) << ioctl.name;
    EXPECT_EQ(drmIoctl(device().fd(), ioctl.request, reinterpret_cast<void*>(bad_pointer)), -1);
    EXPECT_EQ(errno, EFAULT) << ioctl.name;
  }
}

TEST_F(EveryIoctl, IsUnknownOnAnOlderDriver) {
  for (const IoctlNumber& ioctl : every_ioctl) {
    if (device().version() >= ioctl.since) continue;
    uint64_t args[32]{};
    EXPECT_EQ(raw_ioctl(device(), ioctl.request, args), EINVAL) << ioctl.name;
  }
}

TEST_F(EveryIoctl, NumberBeyondTheLastIsRefused) {
  uint64_t args[32]{};
  for (unsigned nr = DRM_COMMAND_BASE + std::size(every_ioctl); nr < DRM_COMMAND_END; ++nr)
    EXPECT_EQ(raw_ioctl(device(), DRM_IOWR(nr, uint64_t), args), EINVAL) << nr;
}

TEST_F(EveryIoctl, OtherTypeIsRefused) {
  uint64_t args[32]{};
  EXPECT_EQ(raw_ioctl(device(), _IOWR('p', DRM_COMMAND_BASE, drm_panthor_dev_query), args), ENOTTY);
}

TEST_F(EveryIoctl, ShorterArgumentIsExtendedWithZeroes) {
  // An old user space whose VM_CREATE ends before user_va_range: the kernel chooses the range.
  struct {
    uint32_t flags = 0;
    uint32_t id = 0;
    uint64_t not_passed = ~0ull;
  } args;
  ASSERT_EQ(raw_ioctl(device(), DRM_IOWR(DRM_COMMAND_BASE + DRM_PANTHOR_VM_CREATE, uint64_t), args), 0);
  EXPECT_NE(args.id, 0u);
  EXPECT_EQ(args.not_passed, ~0ull) << "written behind what was passed";
}

TEST_F(EveryIoctl, LongerArgumentIsAccepted) {
  // A new user space: what the kernel does not know comes back as it was.
  struct Newer {
    drm_panthor_vm_create known{};
    uint64_t unknown = 0;
  } args;
  ASSERT_EQ(raw_ioctl(device(), DRM_IOWR(DRM_COMMAND_BASE + DRM_PANTHOR_VM_CREATE, Newer), args), 0);
  EXPECT_NE(args.known.id, 0u);
  EXPECT_EQ(args.unknown, 0u);
}

TEST_F(EveryIoctl, RenderNodeRefusesWhatIsForTheMaster) {
  drm_gem_flink args{};
  EXPECT_EQ(raw_ioctl(device(), DRM_IOCTL_GEM_FLINK, args), EACCES);
}

}  // namespace
}  // namespace panthor::test
