// SPDX-License-Identifier: MIT
// VM_CREATE, VM_DESTROY and VM_GET_STATE.
#include <bit>

#include "requests/request_test.hpp"

namespace panthor::test {
namespace {

constexpr uint32_t beyond_the_last_vm = VirtualMemory::max_per_file + 1;
constexpr uint64_t least_for_the_kernel = 256ull << 20;  // PANTHOR_VM_MIN_KERNEL_VA_SIZE

uint64_t whole_range(World& world) {
  return 1ull << world.device().gpu_info().va_bits();
}

struct VmCreate {
  explicit VmCreate(World&) {}
  int issue(World& world) {
    const uint64_t asked = args.user_va_range;
    const int result = raw_ioctl(world.device(), DRM_IOCTL_PANTHOR_VM_CREATE, args);
    if (result == 0) {
      EXPECT_NE(args.id, 0u);
      EXPECT_GE(args.user_va_range, asked);
      EXPECT_TRUE(std::has_single_bit(whole_range(world) - args.user_va_range)) << "the kernel part";
    }
    return result;
  }

  drm_panthor_vm_create args{.flags = 0, .id = 0, .user_va_range = 1ull << 40};
};

std::vector<Case<VmCreate>> create_cases() {
  std::vector<Case<VmCreate>> table = {
      {"Valid", 0},
      {"KernelChoosesTheRange", 0, [](VmCreate& r, World&) { r.args.user_va_range = 0; }},
      {"RangeOfOneByte", 0, [](VmCreate& r, World&) { r.args.user_va_range = 1; }},
      {"LargestRange", 0,
       [](VmCreate& r, World& w) { r.args.user_va_range = whole_range(w) - least_for_the_kernel; }},
      {"RangeLeavesTheKernelOneByteLess", EINVAL,
       [](VmCreate& r, World& w) { r.args.user_va_range = whole_range(w) - least_for_the_kernel + 1; }},
      {"WholeRange", EINVAL, [](VmCreate& r, World& w) { r.args.user_va_range = whole_range(w); }},
      {"RangeOfAllBits", EINVAL, [](VmCreate& r, World&) { r.args.user_va_range = ~0ull; }},
  };
  for (unsigned bit = 0; bit < 32; ++bit)
    table.push_back({"UnknownFlag" + std::to_string(bit), EINVAL,
                     [=](VmCreate& r, World&) { r.args.flags = 1u << bit; }});
  return table;
}

struct VmDestroy {
  explicit VmDestroy(World& world) { args.id = world.second_vm().id(); }
  int issue(World& world) { return raw_ioctl(world.device(), DRM_IOCTL_PANTHOR_VM_DESTROY, args); }

  drm_panthor_vm_destroy args{};
};

struct VmGetState {
  explicit VmGetState(World& world) { args.vm_id = world.vm().id(); }
  int issue(World& world) {
    const int result = raw_ioctl(world.device(), DRM_IOCTL_PANTHOR_VM_GET_STATE, args);
    if (result == 0) {
      EXPECT_EQ(args.state, static_cast<uint32_t>(DRM_PANTHOR_VM_STATE_USABLE));
    }
    return result;
  }

  drm_panthor_vm_get_state args{.vm_id = 0, .state = 77};
};

/// The ids no VM of this file has.
template <typename Request>
std::vector<Case<Request>> id_cases(uint32_t& (*id)(Request&)) {
  return {
      {"Valid", 0},
      {"IdZero", EINVAL, [=](Request& r, World&) { id(r) = 0; }},
      {"UnknownId", EINVAL, [=](Request& r, World&) { id(r) = VirtualMemory::max_per_file; }},
      {"IdBeyondTheLast", EINVAL, [=](Request& r, World&) { id(r) = beyond_the_last_vm; }},
      {"IdBeyond16Bits", EINVAL, [=](Request& r, World&) { id(r) |= 0x10000; }},
      {"IdOfAllBits", EINVAL, [=](Request& r, World&) { id(r) = ~0u; }},
      {"ForeignId", EINVAL, [=](Request& r, World& w) { id(r) = w.foreign_vm(); }},
  };
}

std::vector<Case<VmDestroy>> destroy_cases() {
  return id_cases<VmDestroy>([](VmDestroy& r) -> uint32_t& { return r.args.id; }) +
         std::vector<Case<VmDestroy>>{
             {"Padding", EINVAL, [](VmDestroy& r, World&) { r.args.pad = 1; }},
             {"Twice", EINVAL, [](VmDestroy& r, World& w) { EXPECT_EQ(r.issue(w), 0); }},
         };
}

PANTHOR_REQUEST_TABLE(VmCreateRequest, VmCreate, create_cases());
PANTHOR_REQUEST_TABLE(VmDestroyRequest, VmDestroy, destroy_cases());
PANTHOR_REQUEST_TABLE(VmGetStateRequest, VmGetState,
                      id_cases<VmGetState>([](VmGetState& r) -> uint32_t& { return r.args.vm_id; }));

}  // namespace
}  // namespace panthor::test
