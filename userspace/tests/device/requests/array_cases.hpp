// SPDX-License-Identifier: MIT
#pragma once

#include "requests/request_test.hpp"

namespace panthor::test {

/// An array element as a newer user space would pass it: one field more than the kernel knows.
template <typename Known>
struct Extended {
  Known known{};
  uint64_t unknown = 0;
};

/// One element of an array, with the stride the kernel knows.
template <typename Known>
[[nodiscard]] drm_panthor_obj_array array_of(const Extended<Known>& element, uint32_t count = 1) {
  return {.stride = sizeof(Known), .count = count, .array = reinterpret_cast<__u64>(&element)};
}

/// The rules of drm_panthor_obj_array (panthor_get_uobj_array()). `array` finds the array in a request whose
/// only element is Extended, `unknown` that element's additional field. `smallest`: the stride of the oldest
/// uAPI.
template <typename Request>
std::vector<Case<Request>> array_cases(const std::string& prefix, uint32_t smallest,
                                       drm_panthor_obj_array& (*array)(Request&),
                                       uint64_t& (*unknown)(Request&)) {
  const auto row = [&](const char* name, int expected, auto change) {
    return Case<Request>{prefix + name, expected, [=](Request& request, World&) { change(request); }};
  };
  return {
      row("OldestStride", 0, [=](Request& r) { array(r).stride = smallest; }),
      row("StrideOneByteShort", EINVAL, [=](Request& r) { array(r).stride = smallest - 1; }),
      row("StrideZero", EINVAL, [=](Request& r) { array(r).stride = 0; }),
      row("LargerStrideWithZeroes", 0, [=](Request& r) { array(r).stride += sizeof(uint64_t); }),
      row("LargerStrideWithAnUnknownField", E2BIG,
          [=](Request& r) {
            array(r).stride += sizeof(uint64_t);
            unknown(r) = 1;
          }),
      row("NullPointer", EFAULT, [=](Request& r) { array(r).array = 0; }),
      row("BadPointer", EFAULT, [=](Request& r) { array(r).array = bad_pointer; }),
      row("NonCanonicalPointer", EFAULT, [=](Request& r) { array(r).array = 1ull << 63; }),
      row("BadPointerWithLargerStride", EFAULT,
          [=](Request& r) {
            array(r).array = bad_pointer;
            array(r).stride += sizeof(uint64_t);
          }),
  };
}

/// The rules of drm_panthor_sync_op (panthor_check_sync_op(), drm_syncobj_find_fence()). A Request has
/// `drm_panthor_sync_op& add_sync()`, which gives it one sync operation. Signalling a handle that does not
/// exist is in known_bugs_test.cpp.
template <typename Request>
std::vector<Case<Request>> sync_cases() {
  constexpr uint32_t wait = DRM_PANTHOR_SYNC_OP_WAIT;
  constexpr uint32_t signal = static_cast<uint32_t>(DRM_PANTHOR_SYNC_OP_SIGNAL);
  constexpr uint32_t timeline = DRM_PANTHOR_SYNC_OP_HANDLE_TYPE_TIMELINE_SYNCOBJ;
  using Handle = uint32_t (*)(World&);
  const Handle signaled = [](World& world) { return world.signaled().handle(); };
  const Handle empty = [](World& world) { return world.empty().handle(); };
  const Handle chain = [](World& world) { return world.timeline().handle(); };
  const Handle nothing = [](World&) { return unknown_handle; };
  const Handle zero = [](World&) { return 0u; };
  const Handle foreign = [](World& world) { return world.foreign_syncobj(); };

  const auto row = [](const std::string& name, int expected, uint32_t flags, Handle handle,
                      uint64_t point = 0) {
    return Case<Request>{name, expected, [=](Request& request, World& world) {
                           request.add_sync() = {
                               .flags = flags, .handle = handle(world), .timeline_value = point};
                         }};
  };
  std::vector<Case<Request>> table = {
      row("WaitForASignalledFence", 0, wait, signaled),
      row("WaitForNoFence", EINVAL, wait, empty),
      row("WaitForAnUnknownSyncobj", ENOENT, wait, nothing),
      row("WaitForSyncobjZero", ENOENT, wait, zero),
      row("WaitForAForeignSyncobj", ENOENT, wait, foreign),
      row("WaitForAPointOfABinary", EINVAL, wait, signaled, 1),
      row("WaitForAReachedPoint", 0, wait | timeline, chain, 10),
      row("WaitForAnEarlierPoint", 0, wait | timeline, chain, 3),
      row("WaitForPointZero", 0, wait | timeline, chain, 0),
      row("WaitForAPointNotSubmitted", EINVAL, wait | timeline, chain, 11),
      row("WaitForAPointOfAnEmptyTimeline", EINVAL, wait | timeline, empty, 1),
      row("SignalBinary", 0, signal, empty),
      row("SignalBinaryAgain", 0, signal, signaled),
      row("SignalAPointOfABinary", EINVAL, signal, empty, 1),
      row("SignalTimeline", 0, signal | timeline, chain, 11),
      row("SignalTimelinePointZero", 0, signal | timeline, empty, 0),
      row("WaitOfUnknownHandleType", EINVAL, wait | 2, signaled),
      row("SignalOfUnknownHandleType", EINVAL, signal | 2, empty),
      row("WaitOfHighestHandleType", EINVAL, wait | 0xff, signaled),
  };
  for (unsigned bit = 8; bit < 31; ++bit) {
    table.push_back(row("WaitWithUnknownFlag" + std::to_string(bit), EINVAL, wait | 1u << bit, signaled));
    table.push_back(row("SignalWithUnknownFlag" + std::to_string(bit), EINVAL, signal | 1u << bit, empty));
  }
  return table;
}

}  // namespace panthor::test
