// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "autopsy/client.hpp"
#include "autopsy/driver_files.hpp"
#include "autopsy/power.hpp"
#include "autopsy/processes.hpp"
#include "autopsy/tracer.hpp"
#include "autopsy/workers.hpp"
#include "board/interrupts.hpp"
#include "ladder/kernel_log.hpp"
#include "ladder/rung_process.hpp"

namespace harness::autopsy {

/// How to look.
struct Options {
  int pid = 0;                             ///< 0: every process that has the GPU open
  std::chrono::milliseconds after{2000};   ///< a wait shorter than this is no hang
  std::chrono::milliseconds window{2000};  ///< how long to watch what changes
  std::chrono::seconds log_age{600};       ///< an older line of the kernel log is history
  bool probe = false;                      ///< also submit a small job of its own
};

/// The thread the diagnosis is about.
struct Waiter {
  int pid = 0;
  std::string comm;
  Thread thread;
  double seconds = 0;  ///< it has waited, at least
  bool exact = false;  ///< `seconds` is how long it slept, not only how long it was watched
};

/// Everything that was seen, before anything is concluded.
struct Facts {
  Options options;
  std::string release;  ///< of the kernel
  std::string node;     ///< "fb000000.gpu"; empty: no Mali
  std::string driver;   ///< bound to it; empty: none
  bool driver_loaded = false;
  double uptime_s = 0;
  double window_s = 0;  ///< between the two looks

  std::vector<GpuProcess> processes;
  std::optional<Waiter> waiter;
  std::optional<Client> client;  ///< of the waiter's process, or of options.pid
  std::vector<Worker> workers;   ///< with the same stack in both looks
  InterruptCounts interrupts_before;
  InterruptCounts interrupts_after;
  Power power_before;
  Power power_after;
  bool log_readable = false;
  std::vector<KernelMessage> log;  ///< that concerns the GPU, since boot
  std::optional<panthor::TraceLog> trace;
  std::optional<panthor::HangDump> dump_before;
  std::optional<panthor::HangDump> dump;
  std::vector<panthor::HangDump> coredumps;
  std::vector<std::string> blocked_files;  ///< of debugfs, whose reading did not return
  std::optional<RungResult> probe;

  std::vector<Source> sources;

  /// Lines of the log that are no history.
  [[nodiscard]] std::vector<KernelMessage> recent_log() const;
  /// Interrupts of line "job", "mmu" or "gpu" within the window; nullopt when there is no such line.
  [[nodiscard]] std::optional<uint64_t> interrupts(const std::string& line) const;
};

}  // namespace harness::autopsy
