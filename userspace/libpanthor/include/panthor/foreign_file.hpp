// SPDX-License-Identifier: MIT
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "panthor/unique_fd.hpp"

namespace panthor {

/// What a fence says of itself (SYNC_IOC_FILE_INFO).
struct FenceLook {
  std::string driver;    ///< "drm_sched" for a job's, "sw_sync", …
  std::string timeline;  ///< "panthor-queue-CLIENT-GROUP-QUEUE", "panthor-vm-bind", …
  int status = 0;        ///< 1 signalled, 0 not yet, negative: signalled with that error
};

/// A syncobj of another process.
struct SyncobjLook {
  uint32_t handle = 0;
  bool has_fence = false;         ///< something was submitted that signals it
  bool signalled = false;         ///< its newest fence is signalled
  uint64_t point = 0;             ///< timeline: highest signalled point
  uint64_t submitted = 0;         ///< timeline: highest point anybody submitted
  std::vector<FenceLook> fences;  ///< of the newest fence, containers taken apart; at most `fences_shown`

  static constexpr size_t fences_shown = 8;
};

struct GroupLook {
  uint32_t handle = 0;
  bool timed_out = false;
  bool fatal_fault = false;
  bool innocent = false;
  uint32_t fatal_queues = 0;
};

struct VmLook {
  uint32_t id = 0;
  bool usable = true;
};

/// A panthor file of another process, seen through a duplicate of its descriptor: what its syncobjs, groups
/// and VMs say. Only ioctls that change nothing are issued. GROUP_GET_STATE takes the scheduler's lock, so on
/// a hung driver a call may not return: use it in a process that may be left behind.
class ForeignFile {
 public:
  /// pidfd_getfd(2) (Linux 5.6; ptrace access to `pid`). Throws std::system_error.
  ForeignFile(pid_t pid, int fd);

  /// Of the handles 1 to `highest`.
  [[nodiscard]] std::vector<SyncobjLook> syncobjs(uint32_t highest = 8192) const;
  [[nodiscard]] std::vector<GroupLook> groups() const;
  [[nodiscard]] std::vector<VmLook> vms() const;

 private:
  UniqueFd fd_;
};

/// The fences of a sync_file; empty when `fd` is none.
[[nodiscard]] std::vector<FenceLook> look_at_sync_file(int fd);
/// Descriptor `fd` of process `pid`, duplicated. Throws std::system_error.
[[nodiscard]] UniqueFd duplicate_descriptor(pid_t pid, int fd);
/// "DRM_IOCTL_PANTHOR_VM_BIND" for the request of an ioctl the library knows, by whatever headers it was
/// made; else empty.
[[nodiscard]] std::string ioctl_name(unsigned long request);

}  // namespace panthor
