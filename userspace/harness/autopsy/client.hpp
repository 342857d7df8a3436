// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "autopsy/processes.hpp"
#include "panthor/foreign_file.hpp"
#include "panthor/record.hpp"

namespace harness::autopsy {

/// One thing a thread waits for.
struct Target {
  enum class State : uint8_t {
    unknown,
    signalled,
    pending,          ///< a fence is there and has not signalled
    never_submitted,  ///< nobody has submitted what would signal it
  };

  uint32_t handle = 0;  ///< of a syncobj; 0: a sync_file
  uint64_t point = 0;   ///< of a timeline; 0: binary
  State state = State::unknown;
  std::vector<panthor::FenceLook> fences;  ///< that have not signalled
};

/// What the process's own syncobjs, groups and VMs say, by a duplicate of its descriptors (root, Linux 5.6).
struct Client {
  std::vector<Target> targets;  ///< of the thread that waits
  bool wait_all = false;        ///< it needs all of them, not any
  std::vector<panthor::SyncobjLook> syncobjs;
  std::vector<panthor::GroupLook> groups;
  std::vector<panthor::VmLook> vms;
  bool groups_blocked = false;  ///< GROUP_GET_STATE did not return: the scheduler's lock is held
  Source source;
};

/// `waiter`: the thread of `process` whose wait is read from its memory; null: none. Never blocks.
[[nodiscard]] Client look_at_client(const GpuProcess& process, const Thread* waiter);

/// From the lines the child of look_at_client() writes; what is missing in a cut text is missing in the
/// result.
[[nodiscard]] Client parse_client(std::string_view text);

}  // namespace harness::autopsy
