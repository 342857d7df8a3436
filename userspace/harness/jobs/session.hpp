// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "jobs/gpu_buffer.hpp"
#include "panthor/panthor.hpp"

namespace harness {

/// A device with one VM and what jobs in it need: buffers with addresses, command streams, waiting with a
/// deadline.
class Session {
 public:
  /// `timeout`: how long any wait of this session may take before it is a hang. `heap`: of the VM, which
  /// otherwise has none; the session's own addresses end at first_heap_va.
  Session(panthor::Device device, std::chrono::nanoseconds timeout,
          const std::optional<panthor::VaHeap>& heap = std::nullopt);

  /// Behind everything the session places itself.
  static constexpr uint64_t first_heap_va = 1ull << 40;

  [[nodiscard]] const panthor::Device& device() const noexcept { return device_; }
  [[nodiscard]] const panthor::VirtualMemory& vm() const noexcept { return vm_; }
  [[nodiscard]] const panthor::CsifInfo& csif() const noexcept { return csif_; }
  [[nodiscard]] std::chrono::nanoseconds timeout() const noexcept { return timeout_; }

  /// A zeroed data buffer at a free address.
  [[nodiscard]] GpuBuffer buffer(uint64_t bytes, panthor::BindFlags flags = panthor::BindFlags::noexec);
  /// A free address range nothing is bound to.
  [[nodiscard]] uint64_t address_space(uint64_t bytes, uint64_t alignment = 4096);

  /// Builds a command stream in memory of the session; it lives as long as the session.
  [[nodiscard]] panthor::CommandStream stream(
      const std::function<void(panthor::CommandStreamBuilder&)>& write);

  [[nodiscard]] panthor::Group group(const panthor::GroupOptions& options = {}) const;
  /// A group of `count` queues.
  [[nodiscard]] panthor::Group group_of(
      unsigned count, panthor::GroupPriority priority = panthor::GroupPriority::medium) const;

  /// Submits `stream` so that `done` signals at its end.
  void submit(const panthor::Group& group, unsigned queue, const panthor::CommandStream& stream,
              const panthor::Syncobj& done, std::vector<panthor::SyncOp> waits = {}) const;
  /// Submits, waits, and checks that the group is still usable. Throws Failure.
  void run(const panthor::Group& group, unsigned queue, const panthor::CommandStream& stream,
           std::string_view what) const;

  /// Waits for `done`; throws Failure naming `what` and the state of `group` when the timeout passes, or when
  /// the group is not usable after it.
  void finish(const panthor::Syncobj& done, const panthor::Group& group, std::string_view what) const;

 private:
  panthor::Device device_;
  panthor::CsifInfo csif_;
  panthor::VirtualMemory vm_;
  panthor::VaAllocator addresses_;
  std::chrono::nanoseconds timeout_;
  std::vector<GpuBuffer> stream_memory_;
  uint64_t stream_used_ = 0;  // bytes of the last stream buffer
};

}  // namespace harness
