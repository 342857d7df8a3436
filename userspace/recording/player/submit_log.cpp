// SPDX-License-Identifier: MIT
#include "player/submit_log.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace recording {

const SubmitRecord& SubmitLog::add(uint64_t call, uint32_t file, SubmitView view) {
  const SubmitRecord& submit = submits_.emplace_back(
      SubmitRecord{.number = submits_.size() + 1, .call = call, .file = file, .view = std::move(view)});
  for (const QueueJobView& job : submit.view.jobs) {
    const QueueKey key{file, submit.view.group, job.queue};
    running_[key].push_back(submit.number);
    for (const FencePoint& signal : job.signals) {
      auto& fences = fences_[{file, signal.handle}];
      if (signal.point == 0) fences.clear();  // a binary syncobj holds one fence
      fences.push_back({signal.point, key, submit.number});
    }
  }
  return submit;
}

void SubmitLog::satisfied(uint32_t file, const WaitView& wait) {
  if (!wait.proves_all_signalled()) return;
  for (size_t i = 0; i < wait.handles.size(); ++i) {
    const auto found = fences_.find({file, wait.handles[i]});
    if (found == fences_.end()) continue;
    std::erase_if(found->second, [&](const Fence& fence) {
      // Point 0 of a wait means the newest fence, so everything in the chain.
      if (wait.point(i) != 0 && fence.point > wait.point(i)) return false;
      submits_[fence.submit - 1].done = true;
      auto& running = running_[fence.queue];  // a queue runs its jobs in order
      for (; !running.empty() && running.front() <= fence.submit; running.pop_front())
        submits_[running.front() - 1].done = true;
      return true;
    });
  }
}

void SubmitLog::group_destroyed(uint32_t file, uint32_t group) {
  std::erase_if(running_,
                [&](const auto& entry) { return entry.first.file == file && entry.first.group == group; });
}

void SubmitLog::forget(uint32_t file, uint32_t syncobj) {
  fences_.erase({file, syncobj});
}

bool SubmitLog::busy(uint32_t file) const {
  return std::ranges::any_of(
      running_, [&](const auto& entry) { return entry.first.file == file && !entry.second.empty(); });
}

const SubmitRecord* SubmitLog::blocking(uint32_t file, const WaitView& wait) const {
  uint64_t first = 0;
  for (size_t i = 0; i < wait.handles.size(); ++i) {
    const auto found = fences_.find({file, wait.handles[i]});
    if (found == fences_.end()) continue;
    for (const Fence& fence : found->second) {
      if (wait.point(i) != 0 && fence.point > wait.point(i)) continue;
      if (submits_[fence.submit - 1].done) continue;
      if (first == 0 || fence.submit < first) first = fence.submit;
    }
  }
  return first == 0 ? nullptr : &submits_[first - 1];
}

std::string describe(const SubmitRecord& submit) {
  std::string text =
      fmt::format("submit {} (call {}): group {}", submit.number, submit.call, submit.view.group);
  for (const QueueJobView& job : submit.view.jobs)
    text += fmt::format(", queue {} stream {:#x} {} bytes", job.queue, job.stream_va, job.stream_bytes);
  return text;
}

}  // namespace recording
