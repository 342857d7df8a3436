// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>

namespace vgpu::transport {

/// Waits for file descriptors and calls whoever registered them. One thread.
class Reactor {
 public:
  using Callback = std::function<void()>;

  /// Calls `readable` whenever `fd` is readable or hung up, until remove(). Replaces an earlier registration.
  void add(int fd, Callback readable) { watched_[fd] = std::move(readable); }
  void remove(int fd) noexcept { watched_.erase(fd); }

  /// Waits at most `timeout_ns` (nullopt: for ever) and calls back for everything that is readable, in the
  /// order of the descriptors. Returns how many were. Throws std::system_error.
  size_t poll(std::optional<uint64_t> timeout_ns);

  /// Asks the loop that drives this reactor to end.
  void stop() noexcept { stopped_ = true; }
  [[nodiscard]] bool stopped() const noexcept { return stopped_; }

 private:
  std::map<int, Callback> watched_;
  bool stopped_ = false;
};

/// Blocks until one of two descriptors is readable; returns it. Throws std::system_error.
int wait_for_either(int a, int b);

}  // namespace vgpu::transport
