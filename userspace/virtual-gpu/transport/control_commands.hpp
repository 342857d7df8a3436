// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "core/event_log.hpp"
#include "faults/fault_injector.hpp"

namespace vgpu::transport {

/// The line commands of the control socket and of the guest's debugfs file: text in, text out.
///
///     help                       the commands
///     fault list                 the catalogue and what is armed
///     fault arm SPEC             as --fault
///     fault disarm NAME
///     mark WORD                  a line in the event log: where a test's own times begin
///     counters                   as in the summary
///     cputime                    CPU time of the guest's kernel on the host so far, in ns
///     log on|off                 the event log
///     quit                       end the model (not from inside the guest)
///
/// Every answer ends with a line "ok" or "error: WHY".
class ControlCommands {
 public:
  struct Hooks {
    std::function<void(bool on)> set_log;      ///< may be empty: then "log" is refused
    std::function<void()> quit;                ///< may be empty: then "quit" is refused
    std::function<uint64_t()> guest_cpu_ns{};  ///< may be empty: then "cputime" is refused
  };
  enum class Origin { host, guest };

  ControlCommands(FaultInjector& faults, EventLog& log, Hooks hooks)
      : faults_(faults), log_(log), hooks_(std::move(hooks)) {}

  /// Never throws for what is in `line`.
  [[nodiscard]] std::string execute(std::string_view line, Origin origin);

 private:
  struct Table;
  friend struct Table;

  FaultInjector& faults_;
  EventLog& log_;
  Hooks hooks_;
};

}  // namespace vgpu::transport
