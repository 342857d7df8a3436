// SPDX-License-Identifier: MIT
#include "autopsy/watch.hpp"

#include <unistd.h>

#include <algorithm>
#include <map>
#include <thread>

#include "ladder/log_stage.hpp"

namespace harness::autopsy {
namespace {

using Clock = std::chrono::steady_clock;

constexpr auto look_every = std::chrono::milliseconds(250);

/// Since when a thread has stood still.
struct Still {
  uint64_t switches;
  Activity activity;
  Clock::time_point since;
};

bool gives_up(const std::vector<std::string>& lines) {
  return stage_from_log(lines).has_value() || std::ranges::any_of(lines, [](const std::string& line) {
           return line.find("job timeout") != std::string::npos || line.find("stall: ") != std::string::npos;
         });
}

}  // namespace

bool wait_for_hang(const BoardTree& board, const Options& options,
                   std::optional<std::chrono::nanoseconds> patience) {
  std::map<int, Still> threads;
  KernelLog log;
  const auto begin = Clock::now();
  while (!patience || Clock::now() - begin < *patience) {
    const auto now = Clock::now();
    std::map<int, Still> seen;
    for (const GpuProcess& process : look_at_processes(board, options.pid, ::getpid()).all) {
      for (const Thread& thread : process.threads) {
        const bool waits = thread.activity == Activity::in_driver || thread.activity == Activity::in_fence ||
                           (thread.activity == Activity::in_poll && !process.sync_fds.empty());
        if (!waits) continue;
        const int tid = thread.snapshot.pid;
        const auto old = threads.find(tid);
        const bool still = old != threads.end() && old->second.switches == thread.switches &&
                           old->second.activity == thread.activity;
        seen[tid] = still ? old->second : Still{thread.switches, thread.activity, now};
        if (now - seen[tid].since >= options.after) return true;
      }
    }
    threads = std::move(seen);
    if (gives_up(log.drain())) return true;
    std::this_thread::sleep_for(look_every);
  }
  return false;
}

}  // namespace harness::autopsy
