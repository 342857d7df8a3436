// SPDX-License-Identifier: MIT
// GROUP_CREATE, GROUP_DESTROY and GROUP_GET_STATE (panthor_group_create(), group_create_queue()). The
// priorities that need a privilege are in group_test.cpp.
#include <bit>

#include "requests/array_cases.hpp"

namespace panthor::test {
namespace {

constexpr unsigned max_queues = 32;  // MAX_CS_PER_CSG

/// A group of one queue that may use every core.
struct GroupCreate {
  explicit GroupCreate(World& world) {
    const GpuInfo gpu = world.device().gpu_info();
    queue.known = {.priority = 1, .pad = {}, .ringbuf_size = 64 << 10};
    args.queues = array_of(queue);
    args.priority = PANTHOR_GROUP_PRIORITY_MEDIUM;
    args.compute_core_mask = args.fragment_core_mask = gpu.shader_present;
    args.tiler_core_mask = gpu.tiler_present;
    args.max_compute_cores = args.max_fragment_cores =
        static_cast<uint8_t>(std::popcount(gpu.shader_present));
    args.max_tiler_cores = static_cast<uint8_t>(std::popcount(gpu.tiler_present));
    args.vm_id = world.vm().id();
  }
  GroupCreate(const GroupCreate&) = delete;
  GroupCreate& operator=(const GroupCreate&) = delete;

  int issue(World& world) {
    const int result = raw_ioctl(world.device(), DRM_IOCTL_PANTHOR_GROUP_CREATE, args);
    if (result != 0) return result;
    EXPECT_NE(args.group_handle, 0u);
    drm_panthor_group_destroy destroy{.group_handle = args.group_handle, .pad = 0};
    EXPECT_EQ(raw_ioctl(world.device(), DRM_IOCTL_PANTHOR_GROUP_DESTROY, destroy), 0);
    return 0;
  }

  /// `count` queues as the first one.
  void set_queues(uint32_t count) {
    queues.assign(count, queue.known);
    args.queues = {.stride = sizeof(drm_panthor_queue_create),
                   .count = count,
                   .array = reinterpret_cast<__u64>(queues.data())};
  }

  Extended<drm_panthor_queue_create> queue;
  std::vector<drm_panthor_queue_create> queues;
  drm_panthor_group_create args{};
};

/// Rows of one kind of core: where its mask and maximum are, and what the GPU has.
struct CoreKind {
  const char* name;
  __u64 drm_panthor_group_create::*mask;
  __u8 drm_panthor_group_create::*max;
  uint64_t GpuInfo::*present;
};

const CoreKind core_kinds[] = {
    {"Compute", &drm_panthor_group_create::compute_core_mask, &drm_panthor_group_create::max_compute_cores,
     &GpuInfo::shader_present},
    {"Fragment", &drm_panthor_group_create::fragment_core_mask, &drm_panthor_group_create::max_fragment_cores,
     &GpuInfo::shader_present},
    {"Tiler", &drm_panthor_group_create::tiler_core_mask, &drm_panthor_group_create::max_tiler_cores,
     &GpuInfo::tiler_present},
};

std::vector<Case<GroupCreate>> core_cases() {
  std::vector<Case<GroupCreate>> table;
  for (const CoreKind& kind : core_kinds) {
    const auto add = [&](const char* name, int expected, auto change) {
      table.push_back({std::string(kind.name) + name, expected, [=](GroupCreate& r, World& w) {
                         change(r.args.*kind.mask, r.args.*kind.max, w.device().gpu_info().*kind.present);
                       }});
    };
    add("CoresNone", 0, [](__u64& mask, __u8& max, uint64_t) { mask = max = 0; });
    add("MaskWithoutMaximum", 0, [](__u64&, __u8& max, uint64_t) { max = 0; });
    add("MaskOfOneCore", 0, [](__u64& mask, __u8& max, uint64_t present) {
      mask = present & -present;
      max = 1;
    });
    add("MaximumAboveTheMask", EINVAL, [](__u64& mask, __u8& max, uint64_t present) {
      mask = present & -present;
      max = 2;
    });
    add("MaximumAboveTheCores", EINVAL, [](__u64&, __u8& max, uint64_t) { ++max; });
    add("MaximumOfAllBits", EINVAL, [](__u64&, __u8& max, uint64_t) { max = 0xff; });
    add("MaskOfAllBits", EINVAL, [](__u64& mask, __u8&, uint64_t) { mask = ~0ull; });
    add("MaskWithAnAbsentCore", EINVAL,
        [](__u64& mask, __u8&, uint64_t present) { mask |= ~present & (present + 1); });
    add("MaskWithTheTopBit", EINVAL, [](__u64& mask, __u8&, uint64_t) { mask |= 1ull << 63; });
  }
  return table;
}

std::vector<Case<GroupCreate>> create_cases() {
  const auto args = [](const std::string& name, int expected, auto change) {
    return Case<GroupCreate>{name, expected, [=](GroupCreate& r, World&) { change(r.args); }};
  };
  const auto queue = [](const std::string& name, int expected, auto change) {
    return Case<GroupCreate>{name, expected, [=](GroupCreate& r, World&) { change(r.queue.known); }};
  };
  const auto queues = [](const std::string& name, int expected, auto count) {
    return Case<GroupCreate>{name, expected, [=](GroupCreate& r, World& w) {
                               r.set_queues(count(w.device().csif_info().cs_slot_count));
                             }};
  };
  using Args = drm_panthor_group_create;
  using Queue = drm_panthor_queue_create;
  std::vector<Case<GroupCreate>> table = {
      {"Valid", 0},
      queues("NoQueues", EINVAL, [](uint32_t) { return 0u; }),
      queues("EveryQueue", 0, [](uint32_t slots) { return slots; }),
      not_on_1_7(queues("OneQueueTooMany", EINVAL, [](uint32_t slots) { return slots + 1; })),
      not_on_1_7(queues("MostQueuesOfAnyGpu", EINVAL, [](uint32_t) { return max_queues; })),
      queues("MoreQueuesThanAnyGpu", EINVAL, [](uint32_t) { return max_queues + 1; }),
      // The count is refused before the array is read, however large it claims to be.
      args("QueueCountOfAllBits", EINVAL, [](Args& a) { a.queues.count = ~0u; }),
      {"BadSecondQueue", EINVAL,
       [](GroupCreate& r, World&) {
         r.set_queues(2);
         r.queues[1].ringbuf_size = 0;
       }},
      args("Padding", EINVAL, [](Args& a) { a.pad = 1; }),
      args("LowPriority", 0, [](Args& a) { a.priority = PANTHOR_GROUP_PRIORITY_LOW; }),
      args("UnknownPriority4", EINVAL, [](Args& a) { a.priority = 4; }),
      args("PriorityOfAllBits", EINVAL, [](Args& a) { a.priority = 0xff; }),
      args("VmZero", EINVAL, [](Args& a) { a.vm_id = 0; }),
      args("UnknownVm", EINVAL, [](Args& a) { a.vm_id = VirtualMemory::max_per_file; }),
      {"ForeignVm", EINVAL, [](GroupCreate& r, World& w) { r.args.vm_id = w.foreign_vm(); }},
      queue("QueuePriority0", 0, [](Queue& q) { q.priority = 0; }),
      queue("QueuePriority15", 0, [](Queue& q) { q.priority = 15; }),
      queue("QueuePriority16", EINVAL, [](Queue& q) { q.priority = 16; }),
      queue("QueuePriority255", EINVAL, [](Queue& q) { q.priority = 255; }),
  };
  for (unsigned i = 0; i < 3; ++i)
    table.push_back(queue("QueuePadding" + std::to_string(i), EINVAL, [=](Queue& q) { q.pad[i] = 1; }));
  for (const uint32_t kib : {4, 8, 16, 32, 64})
    table.push_back(
        queue("Ring" + std::to_string(kib) + "KiB", 0, [=](Queue& q) { q.ringbuf_size = kib << 10; }));
  for (const uint32_t bytes :
       {0u, 1u, 64u, 2048u, 4095u, 4097u, 12u << 10, (64u << 10) + 4096, 128u << 10, 1u << 31, ~0u})
    table.push_back(
        queue("RingOf" + std::to_string(bytes), EINVAL, [=](Queue& q) { q.ringbuf_size = bytes; }));
  return table + core_cases() +
         array_cases<GroupCreate>(
             "Queues", sizeof(Queue), [](GroupCreate& r) -> drm_panthor_obj_array& { return r.args.queues; },
             [](GroupCreate& r) -> uint64_t& { return r.queue.unknown; });
}

struct GroupDestroy {
  explicit GroupDestroy(World& world) { args.group_handle = world.group().handle(); }
  int issue(World& world) { return raw_ioctl(world.device(), DRM_IOCTL_PANTHOR_GROUP_DESTROY, args); }

  drm_panthor_group_destroy args{};
};

struct GroupGetState {
  explicit GroupGetState(World& world) {
    args = {.group_handle = world.group().handle(), .state = ~0u, .fatal_queues = ~0u, .pad = 0};
  }
  int issue(World& world) {
    const int result = raw_ioctl(world.device(), DRM_IOCTL_PANTHOR_GROUP_GET_STATE, args);
    if (result == 0) {
      EXPECT_EQ(args.state, 0u);
      EXPECT_EQ(args.fatal_queues, 0u);
    }
    return result;
  }

  drm_panthor_group_get_state args{};
};

/// What both refuse.
template <typename Request>
std::vector<Case<Request>> handle_cases() {
  const auto row = [](const char* name, int expected, auto change) {
    return Case<Request>{name, expected, [=](Request& r, World& w) { change(r.args, w); }};
  };
  return {
      {"Valid", 0},
      row("Padding", EINVAL, [](auto& a, World&) { a.pad = 1; }),
      row("HandleZero", EINVAL, [](auto& a, World&) { a.group_handle = 0; }),
      row("UnknownHandle", EINVAL, [](auto& a, World&) { a.group_handle = Group::max_per_file; }),
      row("HandleBeyondTheLast", EINVAL, [](auto& a, World&) { a.group_handle = Group::max_per_file + 1; }),
      row("HandleBeyond16Bits", EINVAL, [](auto& a, World&) { a.group_handle |= 0x10000; }),
      row("HandleOfAllBits", EINVAL, [](auto& a, World&) { a.group_handle = ~0u; }),
      row("ForeignHandle", EINVAL, [](auto& a, World& w) { a.group_handle = w.foreign_group(); }),
  };
}

std::vector<Case<GroupDestroy>> destroy_cases() {
  return handle_cases<GroupDestroy>() +
         std::vector<Case<GroupDestroy>>{
             {"Twice", EINVAL, [](GroupDestroy& r, World& w) { EXPECT_EQ(r.issue(w), 0); }}};
}

PANTHOR_REQUEST_TABLE(GroupCreateRequest, GroupCreate, create_cases());
PANTHOR_REQUEST_TABLE(GroupDestroyRequest, GroupDestroy, destroy_cases());
PANTHOR_REQUEST_TABLE(GroupGetStateRequest, GroupGetState, handle_cases<GroupGetState>());

}  // namespace
}  // namespace panthor::test
