// SPDX-License-Identifier: MIT
#include "autopsy/workers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "ladder/process_snapshot.hpp"

namespace harness::autopsy {
namespace {

/// Where a kernel thread's own frames end and the work begins, from the bottom of the stack.
constexpr std::string_view frames_of_any_worker[] = {"ret_from_fork", "kthread", "worker_thread",
                                                     "process_one_work", "process_scheduled_works"};
/// Functions that are ours beside those that begin with panthor_: static ones of panthor_sched.c and the
/// scheduler's.
constexpr std::string_view our_functions[] = {"panthor_",          "drm_sched_",          "queue_run_job",
                                              "queue_timedout",    "tick_work",           "csgs_upd_",
                                              "process_fw_events", "sync_upd_work",       "group_term_work",
                                              "group_release",     "group_sync_upd_work", "tiler_oom_work"};

std::string function_of(const std::string& line) {
  std::istringstream words(line);
  for (std::string word; words >> word;)
    if (!word.starts_with("[")) return word.substr(0, word.find('+'));
  return "";
}

/// The outermost function of the work; empty when it is not ours.
std::string outermost(const std::string& stack) {
  std::istringstream lines(stack);
  std::string found;
  bool ours = false;
  for (std::string line; std::getline(lines, line);) {
    const std::string function = function_of(line);
    if (std::ranges::any_of(frames_of_any_worker,
                            [&](std::string_view frame) { return function.starts_with(frame); }))
      break;
    if (std::ranges::any_of(our_functions, [&](std::string_view own) { return function.starts_with(own); })) {
      ours = true;
      found = function;
    }
  }
  return ours ? found : "";
}

}  // namespace

Workers look_at_workers(const BoardTree& board) {
  Workers workers;
  workers.source.name = "kernel threads";
  bool any_stack = false;
  for (const std::string& name : board.list("/proc")) {
    if (!std::ranges::all_of(name, [](unsigned char c) { return c >= '0' && c <= '9'; })) continue;
    if (!board.text("/proc/" + name + "/cmdline").empty()) continue;  // a kernel thread has none
    const ProcessSnapshot snapshot = snapshot_process(std::stoi(name), board.path("/proc"));
    any_stack = any_stack || !snapshot.stack.empty();
    const std::string function = outermost(snapshot.stack);
    if (function.empty()) continue;
    workers.all.push_back(
        {snapshot.pid, snapshot.state, board.text("/proc/" + name + "/comm"), function, snapshot.stack});
    workers.source.text +=
        fmt::format("{} {} {}\n{}\n", snapshot.pid, snapshot.state, workers.all.back().comm, snapshot.stack);
  }
  workers.source.seen = any_stack;
  workers.source.note = !any_stack ? "kernel stacks may not be read: needs root and CONFIG_STACKTRACE"
                        : workers.all.empty() ? "none is in the driver"
                                              : fmt::format("{} in the driver", workers.all.size());
  return workers;
}

}  // namespace harness::autopsy
