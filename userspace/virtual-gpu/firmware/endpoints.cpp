// SPDX-License-Identifier: MIT
#include "firmware/endpoints.hpp"

#include <algorithm>
#include <bit>

#include "firmware/job_model.hpp"
#include "firmware/timing.hpp"

namespace vgpu::fw {
namespace {

constexpr uint64_t saturating_multiply(uint64_t a, uint64_t b) {
  return b != 0 && a > JobPlan::endless / b ? JobPlan::endless : a * b;
}

constexpr uint64_t lowest_bits(uint64_t mask, unsigned count) {
  uint64_t taken = 0;
  for (; count != 0 && mask != 0; --count, mask &= mask - 1) taken |= mask & -mask;
  return taken;
}

}  // namespace

EndpointPool::EndpointPool(EventQueue& events, EventLog& log)
    : events_(events), rearranged_(log.counter("endpoints.rearranged")) {}

EndpointPool::~EndpointPool() {
  events_.cancel(event_);
}

void EndpointPool::set_available(uint64_t shader_cores, uint64_t tilers) {
  if (shader_cores == shader_cores_ && tilers == tilers_) return;
  settle();
  shader_cores_ = shader_cores;
  tilers_ = tilers;
  arbitrate();
}

EndpointPool::Id EndpointPool::start(Job job) {
  settle();
  const uint64_t ns = std::max<uint64_t>(job.ns_per_task, 1);
  job.ns_per_task = ns;
  const uint64_t total = saturating_multiply(job.tasks, ns), done = saturating_multiply(job.first_task, ns);
  const uint64_t first = job.first_task;
  jobs_.push_back(
      {.id = next_id_, .job = std::move(job), .progress_ns = done, .total_ns = total, .tasks_seen = first});
  arbitrate();
  return next_id_++;
}

uint64_t EndpointPool::stop(Id id) {
  settle();
  const auto it = std::find_if(jobs_.begin(), jobs_.end(), [id](const Running& r) { return r.id == id; });
  if (it == jobs_.end()) return 0;
  const uint64_t tasks = it->progress_ns / it->job.ns_per_task;
  jobs_.erase(it);
  arbitrate();
  return tasks;
}

void EndpointPool::rearrange() {
  settle();
  arbitrate();
}

bool EndpointPool::starved() const noexcept {
  return std::any_of(jobs_.begin(), jobs_.end(), [](const Running& r) { return r.cores == 0; });
}

uint64_t EndpointPool::retired(unsigned slot) {
  settle();
  return retired_[slot];
}

unsigned EndpointPool::held(unsigned slot, cs::Endpoint endpoint) const noexcept {
  unsigned count = 0;
  for (const Running& r : jobs_)
    if (r.job.group->slot == slot && r.job.endpoint == endpoint)
      count += static_cast<unsigned>(std::popcount(r.cores));
  return count;
}

/// Books the work done since the last time.
void EndpointPool::settle() {
  const uint64_t elapsed = events_.now_ns() - settled_at_;
  settled_at_ = events_.now_ns();
  if (elapsed == 0) return;
  for (Running& r : jobs_) {
    const uint64_t work = saturating_multiply(elapsed, static_cast<uint64_t>(std::popcount(r.cores)));
    r.progress_ns += std::min(work, r.total_ns - r.progress_ns);
    const uint64_t tasks = r.progress_ns / r.job.ns_per_task;
    retired_[r.job.group->slot] += tasks - r.tasks_seen;
    r.tasks_seen = tasks;
  }
}

/// Hands out the cores anew. Books must be settled.
void EndpointPool::arbitrate() {
  ++rearranged_;
  std::stable_sort(jobs_.begin(), jobs_.end(), [](const Running& a, const Running& b) {
    const uint32_t pa = a.job.group->request.priority, pb = b.job.group->request.priority;
    return pa != pb ? pa > pb : a.last_served < b.last_served;
  });
  uint64_t free_cores = shader_cores_, free_tilers = tilers_;
  std::array<std::array<unsigned, 3>, csg_count> used{};
  bool starving = false;
  for (Running& r : jobs_) {
    const auto endpoint = r.job.endpoint;
    uint64_t& pool = endpoint == cs::Endpoint::tiler ? free_tilers : free_cores;
    unsigned& mine = used[r.job.group->slot][static_cast<size_t>(endpoint)];
    const unsigned limit = r.job.group->limit(endpoint);
    const uint64_t left = (r.total_ns - r.progress_ns + r.job.ns_per_task - 1) / r.job.ns_per_task;
    const auto want = static_cast<unsigned>(
        std::min<uint64_t>(limit > mine ? limit - mine : 0, std::max<uint64_t>(left, 1)));
    r.cores = lowest_bits(pool & r.job.group->allowed(endpoint), want);
    pool &= ~r.cores;
    mine += static_cast<unsigned>(std::popcount(r.cores));
    if (r.cores == 0)
      starving = true;
    else
      r.last_served = ++serving_;
  }
  schedule(starving);
}

void EndpointPool::schedule(bool contended) {
  events_.cancel(event_);
  event_ = 0;
  uint64_t next = UINT64_MAX;
  bool any_running = false;
  for (const Running& r : jobs_) {
    const auto cores = static_cast<uint64_t>(std::popcount(r.cores));
    if (r.progress_ns >= r.total_ns) next = 0;
    if (cores == 0) continue;
    any_running = true;
    if (r.total_ns != JobPlan::endless)
      next = std::min(next, (r.total_ns - r.progress_ns + cores - 1) / cores);
  }
  if (contended && any_running) next = std::min(next, timing::endpoint_quantum_ns);
  if (next != UINT64_MAX) event_ = events_.after(next, [this] { finish_due(); });
}

void EndpointPool::finish_due() {
  event_ = 0;
  settle();
  std::vector<std::function<void()>> finished;
  std::erase_if(jobs_, [&](Running& r) {
    if (r.progress_ns < r.total_ns) return false;
    finished.push_back(std::move(r.job.finished));
    return true;
  });
  arbitrate();
  for (const auto& callback : finished) callback();
}

}  // namespace vgpu::fw
