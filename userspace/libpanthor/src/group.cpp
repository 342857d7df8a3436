// SPDX-License-Identifier: MIT
#include "panthor/group.hpp"

#include <bit>

#include "ioctl.hpp"
#include "sync_ops.hpp"

namespace panthor {

static_assert(static_cast<unsigned>(GroupPriority::low) == PANTHOR_GROUP_PRIORITY_LOW);
static_assert(static_cast<unsigned>(GroupPriority::realtime) == PANTHOR_GROUP_PRIORITY_REALTIME);

Group::Group(const Device& device, const VirtualMemory& vm, const GroupOptions& options)
    : file_(device.file()) {
  if (options.priority == GroupPriority::realtime) device.require(has_group_priorities, "realtime priority");
  const GpuInfo gpu = device.gpu_info();
  const auto core_max = [](const CoreSet& set, uint64_t mask) {
    return set.max.value_or(static_cast<uint8_t>(std::popcount(mask)));
  };

  std::vector<drm_panthor_queue_create> queues;
  queues.reserve(options.queues.size());
  for (const QueueOptions& queue : options.queues)
    queues.push_back({.priority = queue.priority, .pad = {}, .ringbuf_size = queue.ring_bytes});

  drm_panthor_group_create args{};
  args.queues = object_array(queues);
  args.priority = static_cast<uint8_t>(options.priority);
  args.compute_core_mask = options.compute.mask.value_or(gpu.shader_present);
  args.fragment_core_mask = options.fragment.mask.value_or(gpu.shader_present);
  args.tiler_core_mask = options.tiler.mask.value_or(gpu.tiler_present);
  args.max_compute_cores = core_max(options.compute, args.compute_core_mask);
  args.max_fragment_cores = core_max(options.fragment, args.fragment_core_mask);
  args.max_tiler_cores = core_max(options.tiler, args.tiler_core_mask);
  args.vm_id = vm.id();
  checked_ioctl(*file_, ioctls::group_create, &args, "vm={}, queues={}, priority={}", args.vm_id,
                queues.size(), args.priority);
  handle_ = args.group_handle;
}

Group::~Group() {
  if (handle_ == 0) return;
  drm_panthor_group_destroy args{.group_handle = handle_, .pad = 0};
  // Fails only for a handle this object does not own, and a destructor has nobody to tell.
  (void)try_ioctl(*file_, ioctls::group_destroy, &args);
}

void Group::destroy() {
  drm_panthor_group_destroy args{.group_handle = handle_, .pad = 0};
  checked_ioctl(*file_, ioctls::group_destroy, &args, "group={}", handle_);
  handle_ = 0;
}

void Group::submit(std::span<const QueueSubmit> jobs) const {
  SyncOpArray syncs;
  for (const QueueSubmit& job : jobs) syncs.append(job.syncs);
  std::vector<drm_panthor_queue_submit> raw;
  raw.reserve(jobs.size());
  for (size_t i = 0; i < jobs.size(); ++i)
    raw.push_back({.queue_index = jobs[i].queue,
                   .stream_size = jobs[i].stream_bytes,
                   .stream_addr = jobs[i].stream_va,
                   .latest_flush = jobs[i].latest_flush,
                   .pad = 0,
                   .syncs = syncs.part(i)});

  drm_panthor_group_submit args{.group_handle = handle_, .pad = 0, .queue_submits = object_array(raw)};
  const int error = try_ioctl(*file_, ioctls::group_submit, &args);
  if (error == 0) return;
  std::string arguments = fmt::format("group={}, jobs={}", handle_, jobs.size());
  if (jobs.size() == 1)
    arguments +=
        fmt::format(": queue={} stream={:#x}+{:#x} latest_flush={:#x} syncs={}", jobs[0].queue,
                    jobs[0].stream_va, jobs[0].stream_bytes, jobs[0].latest_flush, jobs[0].syncs.size());
  throw call_error(error, ioctls::group_submit.name, arguments);
}

GroupState Group::state() const {
  drm_panthor_group_get_state args{};
  args.group_handle = handle_;
  checked_ioctl(*file_, ioctls::group_get_state, &args, "group={}", handle_);
  return {.timed_out = (args.state & DRM_PANTHOR_GROUP_STATE_TIMEDOUT) != 0,
          .fatal_fault = (args.state & DRM_PANTHOR_GROUP_STATE_FATAL_FAULT) != 0,
          .innocent = (args.state & DRM_PANTHOR_GROUP_STATE_INNOCENT) != 0,
          .fatal_queues = args.fatal_queues};
}

}  // namespace panthor
