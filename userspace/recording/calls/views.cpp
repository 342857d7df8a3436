// SPDX-License-Identifier: MIT
#include "calls/views.hpp"

#include <drm/panthor_drm.h>
#include <linux/ioctl.h>

#include <cstddef>

#include "calls/call_image.hpp"

namespace recording {
namespace {

bool same_call(uint32_t a, uint32_t b) {
  return _IOC_TYPE(a) == _IOC_TYPE(b) && _IOC_NR(a) == _IOC_NR(b);
}

template <typename T>
std::vector<T> elements(const Block& block) {
  std::vector<T> list(block.bytes.size() / sizeof(T));
  if (!list.empty()) std::memcpy(list.data(), block.bytes.data(), list.size() * sizeof(T));
  return list;
}

/// The array at `structure + at`; zero elements when it has no block.
struct ObjectArray {
  uint32_t stride;
  uint32_t count;
  bool has_block;
};

ObjectArray object_array(ByteView structure, size_t at) {
  const auto stride = static_cast<uint32_t>(load_field(structure, at, 4));
  const auto count = static_cast<uint32_t>(load_field(structure, at + 4, 4));
  return {stride, count, stride != 0 && count != 0 && load_field(structure, at + 8, 8) != 0};
}

void add_syncs(const Block& block, uint32_t stride, QueueJobView& job) {
  for (ByteView rest(block.bytes); rest.size() >= stride; rest = rest.subspan(stride)) {
    const auto flags = static_cast<uint32_t>(load_field(rest, offsetof(drm_panthor_sync_op, flags), 4));
    const FencePoint fence{
        .handle = static_cast<uint32_t>(load_field(rest, offsetof(drm_panthor_sync_op, handle), 4)),
        .point = load_field(rest, offsetof(drm_panthor_sync_op, timeline_value), 8)};
    const bool signals = (flags & static_cast<uint32_t>(DRM_PANTHOR_SYNC_OP_SIGNAL)) != 0;
    (signals ? job.signals : job.waits).push_back(fence);
  }
}

}  // namespace

bool WaitView::proves_all_signalled() const noexcept {
  return (flags & DRM_SYNCOBJ_WAIT_FLAGS_WAIT_AVAILABLE) == 0 &&
         ((flags & DRM_SYNCOBJ_WAIT_FLAGS_WAIT_ALL) != 0 || handles.size() == 1);
}

size_t wait_timeout_offset(uint32_t request) noexcept {
  return same_call(request, DRM_IOCTL_SYNCOBJ_WAIT) ? offsetof(drm_syncobj_wait, timeout_nsec)
                                                    : offsetof(drm_syncobj_timeline_wait, timeout_nsec);
}

std::optional<WaitView> view_wait(uint32_t request, const CallImage& image) {
  const bool binary = same_call(request, DRM_IOCTL_SYNCOBJ_WAIT);
  if (!binary && !same_call(request, DRM_IOCTL_SYNCOBJ_TIMELINE_WAIT)) return std::nullopt;
  if (image.argument.empty()) return std::nullopt;
  WaitView view;
  view.timeout_ns = static_cast<int64_t>(load_field(image.argument, wait_timeout_offset(request), 8));
  view.flags = static_cast<uint32_t>(
      load_field(image.argument,
                 binary ? offsetof(drm_syncobj_wait, flags) : offsetof(drm_syncobj_timeline_wait, flags), 4));
  if (!image.blocks.empty()) view.handles = elements<uint32_t>(image.blocks[0]);
  if (!binary && image.blocks.size() > 1) view.points = elements<uint64_t>(image.blocks[1]);
  return view;
}

std::optional<SubmitView> view_submit(uint32_t request, const CallImage& image) {
  if (!same_call(request, DRM_IOCTL_PANTHOR_GROUP_SUBMIT) || image.argument.empty()) return std::nullopt;
  SubmitView view;
  view.group =
      static_cast<uint32_t>(load_field(image.argument, offsetof(drm_panthor_group_submit, group_handle), 4));
  const ObjectArray queues = object_array(image.argument, offsetof(drm_panthor_group_submit, queue_submits));
  if (!queues.has_block || image.blocks.empty()) return view;
  size_t next = 1;
  ByteView rest(image.blocks[0].bytes);
  for (; rest.size() >= queues.stride; rest = rest.subspan(queues.stride)) {
    QueueJobView& job = view.jobs.emplace_back();
    const ByteView one = rest.first(queues.stride);
    job.queue = static_cast<uint32_t>(load_field(one, offsetof(drm_panthor_queue_submit, queue_index), 4));
    job.stream_bytes =
        static_cast<uint32_t>(load_field(one, offsetof(drm_panthor_queue_submit, stream_size), 4));
    job.stream_va = load_field(one, offsetof(drm_panthor_queue_submit, stream_addr), 8);
    const ObjectArray syncs = object_array(one, offsetof(drm_panthor_queue_submit, syncs));
    if (!syncs.has_block || next == image.blocks.size()) continue;
    add_syncs(image.blocks[next++], syncs.stride, job);
  }
  return view;
}

}  // namespace recording
