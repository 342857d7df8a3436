// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

namespace harness {

/// Notices an ioctl that does not come back (stage S0), which nothing inside the process can interrupt.
class CallWatchdog {
 public:
  /// `expired(call)` is called in another thread when one call has been inside for longer than `limit`.
  CallWatchdog(std::chrono::nanoseconds limit, std::function<void(const std::string& call)> expired);
  ~CallWatchdog();
  CallWatchdog(const CallWatchdog&) = delete;
  CallWatchdog& operator=(const CallWatchdog&) = delete;

  /// `call` begins; empty: it came back.
  void in_call(const std::string& call);

 private:
  void watch();

  std::chrono::nanoseconds limit_;
  std::function<void(const std::string&)> expired_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::string call_;
  uint64_t generation_ = 0;
  bool stop_ = false;
  std::thread thread_;
};

}  // namespace harness
