// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "channel/job.hpp"
#include "supervisor/options.hpp"
#include "supervisor/process.hpp"

namespace guests {

/// Everything a run needs on disk, and the two command lines.
///
/// The run directory is the guest's first root: /init is the agent, /job.json its orders, /modules what it
/// loads. Paths in the kernel's command line are relative to it or fixed, so that two runs have the same.
struct GuestSetup {
  std::filesystem::path run;   ///< the run directory
  std::filesystem::path logs;  ///< where the logs go

  /// Fills the run directory. Throws UsageError and std::filesystem errors.
  void prepare(const Options& options, Job::Input input) const;

  [[nodiscard]] Spawn vgpu(const Options& options, int ready_fd) const;
  [[nodiscard]] Spawn kernel(const Options& options, int serial_fd) const;

  [[nodiscard]] std::filesystem::path console_log() const { return logs / "console.log"; }
  [[nodiscard]] std::filesystem::path vgpu_errors() const { return logs / "model.err"; }
};

/// HOSTDIR[:GUESTDIR][:ro]; throws UsageError.
[[nodiscard]] Job::Bind parse_bind(const std::string& text);

}  // namespace guests
