// SPDX-License-Identifier: MIT
#include "autopsy/tracer.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "autopsy/bounded_read.hpp"
#include "panthor/unique_fd.hpp"

namespace harness::autopsy {
namespace {

/// Those that make the life of a job; all of dma_fence would drown it.
constexpr std::array events = {"gpu_scheduler/drm_sched_job_queue",
                               "gpu_scheduler/drm_sched_job_add_dep",
                               "gpu_scheduler/drm_sched_job_unschedulable",
                               "gpu_scheduler/drm_sched_job_run",
                               "gpu_scheduler/drm_sched_job_done",
                               "dma_fence/dma_fence_init",
                               "dma_fence/dma_fence_signaled",
                               "panthor/gpu_job_irq"};
constexpr const char* buffer_kb = "2048";  // of each CPU

bool write_file(const std::filesystem::path& path, std::string_view text) {
  const panthor::UniqueFd fd(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
  return fd && ::write(fd.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size());
}

}  // namespace

Tracer::Tracer(const BoardTree& board) : board_(board) {
  std::string root;
  for (const char* candidate : {"/sys/kernel/tracing", "/sys/kernel/debug/tracing"})
    if (root.empty() && board.exists(std::string(candidate) + "/instances")) root = candidate;
  if (root.empty()) {
    why_not_ = ::geteuid() != 0
                   ? "not root: tracefs may not be read; try sudo"
                   : "tracefs is not mounted (mount -t tracefs none /sys/kernel/tracing) or the kernel has "
                     "no CONFIG_ENABLE_DEFAULT_TRACERS";
    return;
  }
  const std::string instance = fmt::format("{}/instances/panthor-autopsy-{}", root, ::getpid());
  if (::mkdir(board.path(instance).c_str(), 0700) != 0) {
    why_not_ = fmt::format("no trace instance can be made: {}", std::strerror(errno));
    return;
  }
  instance_ = instance;
  (void)write_file(board.path(instance_ + "/buffer_size_kb"), buffer_kb);
  for (const char* event : events)
    if (!write_file(board.path(fmt::format("{}/events/{}/enable", instance_, event)), "1")) ++missing_;
}

Tracer::~Tracer() {
  if (!instance_.empty()) (void)::rmdir(board_.path(instance_).c_str());
}

TraceLook Tracer::look() const {
  TraceLook look;
  look.source.name = "trace";
  if (instance_.empty() || missing_ == events.size()) {
    look.source.note =
        instance_.empty() ? why_not_ : "the kernel has none of the events of gpu_scheduler and dma_fence";
    return look;
  }
  const Bounded read = read_bounded(board_.path(instance_ + "/trace"));
  look.source.text = read.text;
  look.source.seen = read.good();
  if (!read.good()) {
    look.source.note = read.why_not();
    return look;
  }
  look.log = panthor::TraceLog::parse(read.text);
  look.source.note = fmt::format("{} events of {} jobs since it began{}{}", look.log->events(),
                                 look.log->jobs().size(), look.log->lost_events() ? ", some lost" : "",
                                 missing_ != 0 ? fmt::format(", {} kinds of events missing", missing_) : "");
  return look;
}

}  // namespace harness::autopsy
