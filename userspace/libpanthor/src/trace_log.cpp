// SPDX-License-Identifier: MIT
#include "panthor/trace_log.hpp"

#include <algorithm>
#include <charconv>
#include <map>

namespace panthor {
namespace {

/// One line of the trace: "COMM-PID [CPU] FLAGS TIME: EVENT: ARGUMENTS".
struct Line {
  std::string_view task;  ///< "COMM-PID"
  double time = 0;
  std::string_view event;
  std::string_view arguments;
};

template <typename T>
bool to_number(std::string_view text, T& value) {
  const auto [at, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && at == text.data() + text.size();
}

std::string_view trimmed(std::string_view text) {
  const auto begin = text.find_first_not_of(' ');
  return begin == std::string_view::npos ? "" : text.substr(begin, text.find_last_not_of(' ') + 1 - begin);
}

std::optional<Line> split(std::string_view text) {
  const auto cpu = text.find(" [");
  const auto after_cpu = cpu == std::string_view::npos ? cpu : text.find("] ", cpu);
  if (after_cpu == std::string_view::npos) return std::nullopt;
  Line line{.task = trimmed(text.substr(0, cpu)), .time = 0, .event = {}, .arguments = {}};
  text.remove_prefix(after_cpu + 2);
  const auto time_end = text.find(": ");
  if (time_end == std::string_view::npos) return std::nullopt;
  const auto time = text.rfind(' ', time_end);  // behind the flags
  if (!to_number(text.substr(time == std::string_view::npos ? 0 : time + 1, time_end - (time + 1)),
                 line.time))
    return std::nullopt;
  text.remove_prefix(time_end + 2);
  const auto event_end = text.find(": ");
  if (event_end == std::string_view::npos) return std::nullopt;
  line.event = text.substr(0, event_end);
  line.arguments = text.substr(event_end + 2);
  return line;
}

/// The word after `key`, up to a comma or a space.
std::string_view value_of(std::string_view arguments, std::string_view key) {
  const auto at = arguments.find(key);
  if (at == std::string_view::npos) return "";
  arguments.remove_prefix(at + key.size());
  return arguments.substr(0, arguments.find_first_of(", "));
}

/// "CONTEXT:SEQNO" after `key`.
std::optional<FenceId> fence_of(std::string_view arguments, std::string_view key) {
  const std::string_view text = value_of(arguments, key);
  const auto colon = text.find(':');
  FenceId fence;
  if (colon == std::string_view::npos || !to_number(text.substr(0, colon), fence.context) ||
      !to_number(text.substr(colon + 1), fence.seqno))
    return std::nullopt;
  return fence;
}

/// "context=C seqno=S" of the dma_fence events.
std::optional<FenceId> named_fence(std::string_view arguments) {
  FenceId fence;
  if (!to_number(value_of(arguments, "context="), fence.context) ||
      !to_number(value_of(arguments, "seqno="), fence.seqno))
    return std::nullopt;
  return fence;
}

/// Whether "events=0xMASK" has the bit of a CSG: bit 31 is the global interface.
bool of_a_group(std::string_view arguments) {
  std::string_view text = value_of(arguments, "events=0x");
  uint32_t mask = 0;
  const auto [at, error] = std::from_chars(text.data(), text.data() + text.size(), mask, 16);
  return error == std::errc() && (mask & 0x7fff'ffff) != 0;
}

}  // namespace

JobTrace& TraceLog::entry(const FenceId& fence) {
  const auto it = std::ranges::find(jobs_, fence, &JobTrace::fence);
  if (it != jobs_.end()) return *it;
  jobs_.push_back({});
  jobs_.back().fence = fence;
  return jobs_.back();
}

const JobTrace* TraceLog::job(const FenceId& fence) const {
  const auto it = std::ranges::find(jobs_, fence, &JobTrace::fence);
  return it == jobs_.end() ? nullptr : &*it;
}

unsigned TraceLog::job_interrupts(double since) const {
  return static_cast<unsigned>(
      std::ranges::count_if(job_interrupts_, [&](double time) { return time > since; }));
}

TraceLog TraceLog::parse(std::string_view text) {
  TraceLog log;
  std::map<std::string, FenceId, std::less<>> running;  // by task: the job whose run_job() it is in
  double last = 0;
  std::map<FenceId, FenceId> job_of;  // the driver's fence -> the scheduler's
  while (!text.empty()) {
    const auto end = text.find('\n');
    const std::string_view raw = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    log.lost_ = log.lost_ || raw.find("LOST") != std::string_view::npos;
    auto line = split(raw);
    if (!line) continue;
    // Their order is what matters, and in virtual time many have the same time.
    constexpr double apart = 1e-9;
    if (line->time <= last) line->time = last + apart;
    last = line->time;
    const std::string_view event = line->event;
    if (event == "gpu_job_irq") {
      if (of_a_group(line->arguments)) log.job_interrupts_.push_back(line->time);
    } else if (event.starts_with("drm_sched_job_")) {
      const auto fence = fence_of(line->arguments, "fence=");
      if (!fence) continue;
      JobTrace& job = log.entry(*fence);
      if (const auto ring = value_of(line->arguments, "ring="); !ring.empty()) job.ring = ring;
      if (event == "drm_sched_job_queue") job.queued = line->time;
      if (event == "drm_sched_job_run") {
        job.run = line->time;
        running[std::string(line->task)] = *fence;
      }
      if (event == "drm_sched_job_done") {
        job.done = line->time;
        log.signalled_.insert(*fence);
      }
      const auto on = fence_of(line->arguments, "depends on fence=");
      if (on) job.dependencies.insert(*on);
      if (event == "drm_sched_job_unschedulable")
        job.blocked_on = fence_of(line->arguments, "unsignalled fence=");
    } else if (event.starts_with("dma_fence_")) {
      const auto fence = named_fence(line->arguments);
      if (!fence) continue;
      const bool drivers = value_of(line->arguments, "driver=") == "panthor";
      if (event == "dma_fence_init" && drivers) {
        if (const auto it = running.find(line->task); it != running.end()) {
          log.entry(it->second).pushed = line->time;
          job_of[*fence] = it->second;
        }
      }
      if (event == "dma_fence_signaled") {
        log.signalled_.insert(*fence);
        if (const auto it = job_of.find(*fence); it != job_of.end())
          log.entry(it->second).driver_done = line->time;
      }
    } else {
      continue;
    }
    ++log.events_;
  }
  return log;
}

}  // namespace panthor
