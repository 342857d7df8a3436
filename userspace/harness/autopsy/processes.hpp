// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "autopsy/source.hpp"
#include "board/board_tree.hpp"
#include "ladder/process_snapshot.hpp"

namespace harness::autopsy {

/// What a thread does in the kernel, as far as the GPU is concerned.
enum class Activity : uint8_t {
  elsewhere,  ///< nothing of the GPU's
  in_driver,  ///< in open() or an ioctl of the GPU's node that is no wait: S0 if it stays there
  in_fence,   ///< in SYNCOBJ_WAIT or SYNCOBJ_TIMELINE_WAIT, or asleep in another wait for a dma_fence
  in_poll,    ///< in poll() or select(): for a sync_file, perhaps
};

/// /proc/PID/syscall (proc(5)): "NUMBER 0xARG0 0xARG1 …".
struct SystemCall {
  long number = -1;
  uint64_t arguments[3] = {};
};
[[nodiscard]] std::optional<SystemCall> parse_system_call(std::string_view text);

struct Thread {
  ProcessSnapshot snapshot;
  Activity activity = Activity::elsewhere;
  std::optional<SystemCall> call;
  std::string doing;               ///< "DRM_IOCTL_SYNCOBJ_WAIT", "poll", or the kernel function it sleeps in
  uint64_t switches = 0;           ///< voluntary context switches so far
  std::optional<double> asleep_s;  ///< seconds since it last ran; nullopt: not known
};

/// A process that has the GPU open.
struct GpuProcess {
  int pid = 0;
  std::string comm;
  std::vector<int> render_fds;  ///< its descriptors of DRM nodes
  std::vector<int> sync_fds;    ///< its descriptors of sync_files
  std::vector<Thread> threads;
};

/// Processes to look at.
struct Processes {
  std::vector<GpuProcess> all;
  Source source;
};

/// `pid` alone, or with 0 every process but `self` that has a DRM node open.
[[nodiscard]] Processes look_at_processes(const BoardTree& board, int pid, int self);

/// Where a kernel function a thread sleeps in (wchan, top of its stack) belongs.
[[nodiscard]] Activity activity_of_function(std::string_view function);

}  // namespace harness::autopsy
