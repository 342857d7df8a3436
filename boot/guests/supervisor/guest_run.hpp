// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "channel/frames.hpp"
#include "supervisor/guest_setup.hpp"
#include "supervisor/options.hpp"
#include "supervisor/outcome.hpp"
#include "supervisor/process.hpp"
#include "supervisor/relay.hpp"

namespace guests {

/// One guest from start to end: the model, the kernel, the command in it.
class GuestRun {
 public:
  /// `signals`: a signalfd of the signals that concern us (SIGCHLD, SIGWINCH and those that end us).
  GuestRun(const Options& options, const GuestSetup& setup, Job::Input input, int signals);

  /// Returns when nothing we started is left.
  Outcome run();

 private:
  using Clock = std::chrono::steady_clock;
  enum class Phase {
    booting,
    running,  ///< the command has started
    ending,   ///< it has ended, the guest powers off
    over,
  };

  bool start_vgpu();
  void start_kernel();
  void loop();
  void handle_frame(const Frame& frame);
  void handle_signals();
  void handle_deadlines();
  void check_processes();
  void end(Outcome::Kind kind, std::string message = {});
  [[nodiscard]] int poll_timeout_ms() const;
  [[nodiscard]] std::string why_kernel_ended() const;

  const Options& options_;
  const GuestSetup& setup_;
  int signals_;
  bool live_;
  Process vgpu_, kernel_;
  UniqueFd guest_line_;
  Relay relay_;
  Phase phase_ = Phase::booting;
  std::optional<Outcome> outcome_;
  Clock::time_point started_ = Clock::now();
  Clock::time_point phase_deadline_, deadline_;
  int end_signals_ = 0;
};

}  // namespace guests
