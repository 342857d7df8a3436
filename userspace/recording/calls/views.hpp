// SPDX-License-Identifier: MIT
#pragma once

#include <optional>

#include "calls/call_layout.hpp"
#include "format/event.hpp"

/// The calls whose meaning recorder and player have to know, read out of their images.
namespace recording {

/// SYNCOBJ_WAIT or SYNCOBJ_TIMELINE_WAIT.
struct WaitView {
  int64_t timeout_ns = 0;  ///< absolute, CLOCK_MONOTONIC
  uint32_t flags = 0;      ///< DRM_SYNCOBJ_WAIT_FLAGS_*
  std::vector<uint32_t> handles;
  std::vector<uint64_t> points;  ///< empty: binary

  /// Point of the i-th handle; 0 for a binary syncobj.
  [[nodiscard]] uint64_t point(size_t i) const { return i < points.size() ? points[i] : 0; }
  /// Success means that every fence is signalled (not: one of them, or only there).
  [[nodiscard]] bool proves_all_signalled() const noexcept;
};

/// Nothing when `image` is not such a call or cannot be read.
[[nodiscard]] std::optional<WaitView> view_wait(uint32_t request, const CallImage& image);

/// Offset of the timeout in a wait's argument.
[[nodiscard]] size_t wait_timeout_offset(uint32_t request) noexcept;

struct FencePoint {
  uint32_t handle = 0;
  uint64_t point = 0;
};

struct QueueJobView {
  uint32_t queue = 0;
  uint64_t stream_va = 0;
  uint32_t stream_bytes = 0;
  std::vector<FencePoint> waits;
  std::vector<FencePoint> signals;
};

/// GROUP_SUBMIT.
struct SubmitView {
  uint32_t group = 0;
  std::vector<QueueJobView> jobs;
};

[[nodiscard]] std::optional<SubmitView> view_submit(uint32_t request, const CallImage& image);

}  // namespace recording
