// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace guests {

/// What the agent has to do: the supervisor leaves it as /job.json in the guest's first root.
struct Job {
  struct Module {
    std::string file;        ///< in the first root
    std::string parameters;  ///< as for insmod
  };
  struct Bind {
    std::string host;   ///< absolute, on the host
    std::string guest;  ///< absolute, in the guest
    bool read_only = false;
  };
  enum class Input : uint8_t {
    none,  ///< /dev/null
    file,  ///< the file /stdin of the first root: known beforehand, so virtual time stays reproducible
    live,  ///< frames
  };

  std::vector<std::string> command;      ///< what to run; searched in PATH
  std::vector<std::string> environment;  ///< NAME=VALUE
  std::string directory = "/root";       ///< where
  std::string rootfs;                    ///< absolute host directory, never written to
  std::vector<Module> modules;           ///< in order
  std::vector<Bind> binds;
  Input input = Input::none;
  bool terminal = false;  ///< run it on a pseudo terminal
  uint32_t rows = 24, columns = 80;
  /// Look for frames every so many milliseconds of guest time, 0: only when the line interrupts. In virtual
  /// time a sleeping guest does not notice the line.
  uint32_t poll_ms = 0;
};

[[nodiscard]] std::string to_json(const Job& job);
/// Throws std::runtime_error for text that is no job.
[[nodiscard]] Job job_from_json(const std::string& text);

}  // namespace guests
