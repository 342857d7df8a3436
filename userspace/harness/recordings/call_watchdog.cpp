// SPDX-License-Identifier: MIT
#include "recordings/call_watchdog.hpp"

namespace harness {

CallWatchdog::CallWatchdog(std::chrono::nanoseconds limit, std::function<void(const std::string&)> expired)
    : limit_(limit), expired_(std::move(expired)), thread_([this] { watch(); }) {}

CallWatchdog::~CallWatchdog() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  changed_.notify_one();
  thread_.join();
}

void CallWatchdog::in_call(const std::string& call) {
  const std::lock_guard lock(mutex_);
  call_ = call;
  ++generation_;
}

// Looks once a period: a call that is still the same one at the next look has been inside for at least that
// long.
void CallWatchdog::watch() {
  std::unique_lock lock(mutex_);
  uint64_t seen = 0;
  while (!changed_.wait_for(lock, limit_, [this] { return stop_; })) {
    if (!call_.empty() && generation_ == seen) expired_(call_);
    seen = generation_;
  }
}

}  // namespace harness
