// SPDX-License-Identifier: MIT
#include "autopsy/processes.hpp"

#include <fmt/format.h>
#include <sys/syscall.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <sstream>

#include "board/gpu_users.hpp"
#include "panthor/foreign_file.hpp"

namespace harness::autopsy {
namespace {

namespace fs = std::filesystem;

/// Kernel functions by their beginning, the most telling first.
struct FunctionRow {
  std::string_view prefix;
  Activity activity;
};

constexpr FunctionRow functions[] = {
    {"drm_syncobj_array_wait", Activity::in_fence},
    {"drm_syncobj_wait", Activity::in_fence},
    {"drm_syncobj_timeline_wait", Activity::in_fence},
    {"dma_fence_default_wait", Activity::in_fence},
    {"dma_fence_wait", Activity::in_fence},
    {"dma_resv_wait", Activity::in_fence},
    {"panthor_", Activity::in_driver},
    {"drm_sched_entity_flush", Activity::in_driver},
    {"drm_file_free", Activity::in_driver},
    {"drm_release", Activity::in_driver},
    {"drm_open", Activity::in_driver},
    {"drm_ioctl", Activity::in_driver},
    {"do_sys_poll", Activity::in_poll},
    {"poll_schedule_timeout", Activity::in_poll},
};

constexpr std::array poll_calls = {
#ifdef SYS_poll
    static_cast<long>(SYS_poll), static_cast<long>(SYS_select),
#endif
    static_cast<long>(SYS_ppoll), static_cast<long>(SYS_pselect6)};

constexpr std::string_view fence_waits[] = {"DRM_IOCTL_SYNCOBJ_WAIT", "DRM_IOCTL_SYNCOBJ_TIMELINE_WAIT"};

template <typename T, typename... Base>
std::optional<T> number(std::string_view text, Base... base) {
  T value{};
  const auto [at, error] = std::from_chars(text.data(), text.data() + text.size(), value, base...);
  return error == std::errc() && at != text.data() ? std::optional<T>(value) : std::nullopt;
}

/// The text after `key` on its line, leading blanks and colons gone.
std::string_view field(std::string_view text, std::string_view key) {
  for (size_t at = 0; (at = text.find(key, at)) != std::string_view::npos; at += key.size()) {
    if (at != 0 && text[at - 1] != '\n') continue;
    std::string_view rest = text.substr(at + key.size());
    rest = rest.substr(0, rest.find('\n'));
    const auto begin = rest.find_first_not_of(" \t:");
    return begin == std::string_view::npos ? "" : rest.substr(begin);
  }
  return "";
}

/// When a task last began to run, on the scheduler's clock in seconds (/proc/PID/sched, CONFIG_SCHED_DEBUG).
std::optional<double> last_run(const BoardTree& board, const std::string& task) {
  const auto milliseconds = number<double>(field(board.text(task + "/sched"), "se.exec_start"));
  return milliseconds ? std::optional(*milliseconds / 1000) : std::nullopt;
}

std::string top_of_stack(const std::string& stack) {
  // "[<0>] drm_syncobj_array_wait_timeout+0x3a0/0x5c0 [drm]"
  std::istringstream words(stack.substr(0, stack.find('\n')));
  std::string word;
  while (words >> word)
    if (!word.starts_with("[")) return word.substr(0, word.find('+'));
  return "";
}

Activity activity_of_stack(const ProcessSnapshot& snapshot) {
  std::istringstream lines(snapshot.stack);
  Activity found = activity_of_function(snapshot.wchan);
  for (std::string line; found == Activity::elsewhere && std::getline(lines, line);)
    found = activity_of_function(top_of_stack(line));
  return found;
}

void find_activity(Thread& thread, const GpuProcess& process) {
  const bool gpu_ioctl = thread.call && thread.call->number == SYS_ioctl &&
                         std::ranges::find(process.render_fds, static_cast<int>(thread.call->arguments[0])) !=
                             process.render_fds.end();
  if (gpu_ioctl) {
    thread.doing = panthor::ioctl_name(thread.call->arguments[1]);
    if (thread.doing.empty()) thread.doing = fmt::format("ioctl {:#x}", thread.call->arguments[1]);
    const bool waits = std::ranges::find(fence_waits, thread.doing) != std::ranges::end(fence_waits);
    thread.activity = waits ? Activity::in_fence : Activity::in_driver;
    return;
  }
  if (thread.call && std::ranges::find(poll_calls, thread.call->number) != poll_calls.end()) {
    thread.activity = Activity::in_poll;
    thread.doing = "poll";
    return;
  }
  thread.activity = activity_of_stack(thread.snapshot);
  const std::string top = top_of_stack(thread.snapshot.stack);
  thread.doing = top.empty() ? thread.snapshot.wchan : top;
}

Thread look_at_thread(const BoardTree& board, const GpuProcess& process, int tid, std::optional<double> now) {
  const std::string task = fmt::format("/proc/{}/task/{}", process.pid, tid);
  Thread thread;
  thread.snapshot = snapshot_process(tid, board.path(fmt::format("/proc/{}/task", process.pid)));
  thread.call = parse_system_call(thread.snapshot.syscall);
  thread.switches =
      number<uint64_t>(field(board.text(task + "/status"), "voluntary_ctxt_switches")).value_or(0);
  if (const auto ran = last_run(board, task); now && ran && *ran <= *now) thread.asleep_s = *now - *ran;
  find_activity(thread, process);
  return thread;
}

GpuProcess look_at_process(const BoardTree& board, int pid, std::optional<double> now) {
  GpuProcess process;
  process.pid = pid;
  const std::string dir = fmt::format("/proc/{}", pid);
  process.comm = board.text(dir + "/comm");
  for (const std::string& fd : board.list(dir + "/fd")) {
    std::error_code gone;
    const std::string target = fs::read_symlink(board.path(dir + "/fd/" + fd), gone).string();
    if (target.starts_with("/dev/dri/")) process.render_fds.push_back(number<int>(fd).value_or(-1));
    if (target.starts_with("anon_inode:sync_file")) process.sync_fds.push_back(number<int>(fd).value_or(-1));
  }
  for (const std::string& tid : board.list(dir + "/task"))
    if (const auto id = number<int>(tid)) process.threads.push_back(look_at_thread(board, process, *id, now));
  return process;
}

void describe(const GpuProcess& process, Source& source) {
  source.text +=
      fmt::format("process {} threads {} comm {}\n", process.pid, process.threads.size(), process.comm);
  for (const Thread& thread : process.threads)
    source.text += fmt::format(
        "thread {} state {} doing {} asleep_s {} wchan {} syscall {}\n{}{}", thread.snapshot.pid,
        thread.snapshot.state, thread.doing, thread.asleep_s ? fmt::format("{:.1f}", *thread.asleep_s) : "-",
        thread.snapshot.wchan, thread.call ? fmt::format("{}", thread.call->number) : "-",
        thread.snapshot.stack, thread.snapshot.stack.empty() ? "" : "\n");
}

}  // namespace

std::optional<SystemCall> parse_system_call(std::string_view text) {
  SystemCall call;
  const auto first = number<long>(text.substr(0, text.find(' ')));
  if (!first) return std::nullopt;  // "running", or not readable
  call.number = *first;
  for (uint64_t& argument : call.arguments) {
    const auto space = text.find(' ');
    if (space == std::string_view::npos) break;
    text.remove_prefix(space + 1);
    if (text.starts_with("0x")) argument = number<uint64_t>(text.substr(2), 16).value_or(0);
  }
  return call;
}

Activity activity_of_function(std::string_view function) {
  for (const FunctionRow& row : functions)
    if (function.starts_with(row.prefix)) return row.activity;
  return Activity::elsewhere;
}

Processes look_at_processes(const BoardTree& board, int pid, int self) {
  Processes result;
  result.source.name = "processes";
  std::vector<int> pids = {pid};
  if (pid == 0) {
    const auto users = gpu_users(board, self);
    if (!users) {
      result.source.note =
          "not root: the files of other processes cannot be seen; try sudo, or --pid of your own";
      return result;
    }
    pids = *users;
  }
  // This process runs, so its own clock reads now.
  const auto now = last_run(board, "/proc/self");
  for (const int id : pids) {
    if (!board.exists(fmt::format("/proc/{}", id))) continue;
    result.all.push_back(look_at_process(board, id, now));
    describe(result.all.back(), result.source);
  }
  result.source.seen = true;
  result.source.note = result.all.empty() ? "no other process has the GPU open"
                                          : fmt::format("{} with the GPU open", result.all.size());
  const bool calls = std::ranges::any_of(result.all, [](const GpuProcess& process) {
    return std::ranges::any_of(process.threads, [](const Thread& thread) { return thread.call.has_value(); });
  });
  if (!result.all.empty() && !calls) result.source.note += "; their system calls may not be read (try sudo)";
  return result;
}

}  // namespace harness::autopsy
