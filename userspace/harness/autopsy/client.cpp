// SPDX-License-Identifier: MIT
#include "autopsy/client.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>
#include <xf86drm.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

#include "autopsy/bounded_read.hpp"

namespace harness::autopsy {
namespace {

using panthor::Record;
using panthor::UniqueFd;

constexpr size_t most_targets = 64;

/// Copies from the memory of another process; false when it is not there or may not be read. Through /proc,
/// because process_vm_readv() is an option of the kernel.
bool read_memory(pid_t pid, uint64_t address, void* to, size_t bytes) {
  const UniqueFd memory(::open(fmt::format("/proc/{}/mem", pid).c_str(), O_RDONLY | O_CLOEXEC));
  return memory &&
         ::pread(memory.get(), to, bytes, static_cast<off_t>(address)) == static_cast<ssize_t>(bytes);
}

class Writer {
 public:
  explicit Writer(int fd) : fd_(fd) {}

  template <typename... Args>
  void line(fmt::format_string<Args...> format, Args&&... args) const {
    const std::string text = fmt::format(format, std::forward<Args>(args)...) + '\n';
    if (::write(fd_, text.data(), text.size()) < 0) ::_exit(EPIPE);
  }
  void fences(const std::vector<panthor::FenceLook>& fences) const {
    for (const panthor::FenceLook& fence : fences)
      line("fence driver={} status={} timeline={}", fence.driver, fence.status, fence.timeline);
  }

 private:
  int fd_;
};

/// The handles and points of a SYNCOBJ_WAIT or SYNCOBJ_TIMELINE_WAIT (drm.h).
void write_targets(const Writer& out, pid_t pid, const Thread& waiter) {
  if (waiter.activity != Activity::in_fence || !waiter.call) return;
  const bool timeline = waiter.doing == "DRM_IOCTL_SYNCOBJ_TIMELINE_WAIT";
  uint64_t handles_at = 0;
  uint64_t points_at = 0;
  uint32_t count = 0;
  uint32_t flags = 0;
  const uint64_t address = waiter.call->arguments[2];
  if (timeline) {
    drm_syncobj_timeline_wait args{};
    if (!read_memory(pid, address, &args, sizeof(args))) return;
    handles_at = args.handles;
    points_at = args.points;
    count = args.count_handles;
    flags = args.flags;
  } else {
    drm_syncobj_wait args{};
    if (!read_memory(pid, address, &args, sizeof(args))) return;
    handles_at = args.handles;
    count = args.count_handles;
    flags = args.flags;
  }
  out.line("wait all={}", (flags & DRM_SYNCOBJ_WAIT_FLAGS_WAIT_ALL) != 0 ? 1 : 0);
  for (uint64_t i = 0; i < std::min<uint64_t>(count, most_targets); ++i) {
    uint32_t handle = 0;
    uint64_t point = 0;
    if (!read_memory(pid, handles_at + i * sizeof(handle), &handle, sizeof(handle))) return;
    if (timeline) (void)read_memory(pid, points_at + i * sizeof(point), &point, sizeof(point));
    out.line("wants handle={} point={}", handle, point);
  }
}

int write_client(const GpuProcess& process, const Thread* waiter, int fd) {
  const Writer out(fd);
  if (waiter != nullptr) write_targets(out, process.pid, *waiter);
  if (waiter != nullptr && waiter->activity == Activity::in_poll) {
    for (const int sync_fd : process.sync_fds) {
      out.line("sync-file fd={}", sync_fd);
      out.fences(panthor::look_at_sync_file(panthor::duplicate_descriptor(process.pid, sync_fd).get()));
    }
  }
  // The descriptor the wait names, else each: other nodes than panthor's refuse what is asked of them.
  std::vector<int> fds = process.render_fds;
  if (waiter != nullptr && waiter->call && waiter->activity != Activity::in_poll)
    if (const auto it = std::ranges::find(fds, static_cast<int>(waiter->call->arguments[0])); it != fds.end())
      fds = {*it};
  for (const int render_fd : fds) {
    const panthor::ForeignFile file(process.pid, render_fd);
    for (const panthor::SyncobjLook& look : file.syncobjs()) {
      out.line("syncobj handle={} fence={} signalled={} point={} submitted={}", look.handle,
               look.has_fence ? 1 : 0, look.signalled ? 1 : 0, look.point, look.submitted);
      out.fences(look.fences);
    }
    for (const panthor::VmLook& look : file.vms())
      out.line("vm id={} usable={}", look.id, look.usable ? 1 : 0);
    out.line("groups-begin");  // from here on the scheduler's lock is taken
    for (const panthor::GroupLook& look : file.groups())
      out.line("group handle={} timedout={} fatal={} innocent={}", look.handle, look.timed_out ? 1 : 0,
               look.fatal_queues, look.innocent ? 1 : 0);
    out.line("groups-end");
  }
  return 0;
}

/// What a look at syncobj `look` says of the wait for `target`.
void settle(Target& target, const panthor::SyncobjLook& look) {
  using State = Target::State;
  const bool timeline = target.point != 0;
  const bool there = timeline ? look.submitted >= target.point || look.point >= target.point : look.has_fence;
  const bool done = timeline ? look.point >= target.point : look.signalled;
  target.state = done ? State::signalled : there ? State::pending : State::never_submitted;
  if (target.state != State::pending) return;
  for (const panthor::FenceLook& fence : look.fences)
    if (fence.status == 0) target.fences.push_back(fence);
}

}  // namespace

Client parse_client(std::string_view text) {
  Client client;
  std::vector<panthor::FenceLook>* fences = nullptr;
  std::vector<panthor::FenceLook> polled;
  unsigned groups_open = 0;
  bool polls = false;
  for (const Record& record : panthor::parse_records(text)) {
    const auto number = [&](std::string_view key) { return record.number<uint32_t>(key).value_or(0); };
    if (record.name() == "wait") {
      client.wait_all = record.set("all");
    } else if (record.name() == "wants") {
      client.targets.push_back({.handle = number("handle"),
                                .point = record.number("point").value_or(0),
                                .state = Target::State::unknown,
                                .fences = {}});
    } else if (record.name() == "sync-file") {
      polls = true;
      fences = &polled;
    } else if (record.name() == "syncobj") {
      client.syncobjs.push_back({.handle = number("handle"),
                                 .has_fence = record.set("fence"),
                                 .signalled = record.set("signalled"),
                                 .point = record.number("point").value_or(0),
                                 .submitted = record.number("submitted").value_or(0),
                                 .fences = {}});
      fences = &client.syncobjs.back().fences;
    } else if (record.name() == "fence" && fences != nullptr) {
      fences->push_back({std::string(record.text_or("driver", "")),
                         std::string(record.text_or("timeline", "")),
                         record.number<int>("status").value_or(0)});
    } else if (record.name() == "vm") {
      client.vms.push_back({.id = number("id"), .usable = record.set("usable")});
    } else if (record.name() == "group") {
      client.groups.push_back({.handle = number("handle"),
                               .timed_out = record.set("timedout"),
                               .fatal_fault = record.set("fatal"),
                               .innocent = record.set("innocent"),
                               .fatal_queues = number("fatal")});
    } else if (record.name() == "groups-begin") {
      ++groups_open;
    } else if (record.name() == "groups-end") {
      --groups_open;
    }
  }
  client.groups_blocked = groups_open != 0;
  for (Target& target : client.targets)
    for (const panthor::SyncobjLook& look : client.syncobjs)
      if (look.handle == target.handle) settle(target, look);
  std::erase_if(polled, [](const panthor::FenceLook& fence) { return fence.status != 0; });
  if (polls && !polled.empty())
    client.targets.push_back(
        {.handle = 0, .point = 0, .state = Target::State::pending, .fences = std::move(polled)});
  return client;
}

Client look_at_client(const GpuProcess& process, const Thread* waiter) {
  const Bounded answer = run_bounded([&](int fd) { return write_client(process, waiter, fd); });
  Client client = parse_client(answer.text);
  client.groups_blocked = client.groups_blocked && !answer.finished;
  client.source.name = fmt::format("syncobjs of process {}", process.pid);
  client.source.text = answer.text;
  client.source.seen = !answer.text.empty();
  if (client.source.seen)
    client.source.note =
        fmt::format("{} syncobjs, {} groups, {} VMs{}", client.syncobjs.size(), client.groups.size(),
                    client.vms.size(), answer.finished ? "" : "; then a call did not return");
  else if (answer.error == EPERM || answer.error == EACCES)
    client.source.note = "only root, or who may ptrace the process, may duplicate its descriptors; try sudo";
  else
    client.source.note = fmt::format("its descriptors cannot be duplicated: {}", answer.why_not());
  return client;
}

}  // namespace harness::autopsy
