// SPDX-License-Identifier: MIT
#pragma once

#include <sys/types.h>

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "common/unique_fd.hpp"

namespace guests {

using common::UniqueFd;

/// How to start a program.
struct Spawn {
  std::vector<std::string> arguments;              ///< [0] is the program's path
  std::map<std::string, std::string> environment;  ///< set on top of ours
  std::string directory;                           ///< working directory; empty: ours
  std::string output, error;                       ///< files its streams are appended to
  std::vector<int> keep;                           ///< descriptors it inherits
};

/// A child in a process group of its own. It dies with us, and its whole group dies with the object.
class Process {
 public:
  Process() = default;
  /// Standard input is /dev/null, core dumps are off. Throws std::system_error.
  explicit Process(const Spawn& spawn);
  Process(Process&& other) noexcept;
  Process& operator=(Process&& other) noexcept;
  ~Process() { end(); }

  /// Looks whether it has ended; after that, status() is known.
  bool poll() noexcept;
  [[nodiscard]] std::optional<int> status() const noexcept { return status_; }  ///< as of waitpid(2)
  [[nodiscard]] pid_t pid() const noexcept { return pid_; }
  void signal(int number) const noexcept;
  /// poll() for at most so long.
  bool wait(int limit_ms) noexcept;
  /// SIGTERM, then after `grace_ms` SIGKILL to the whole group, and reaps it.
  void end(int grace_ms = 0) noexcept;

 private:
  pid_t pid_ = -1;
  std::optional<int> status_;
};

/// "signal 11 (Segmentation fault)" or "status 3".
[[nodiscard]] std::string describe_status(int status);

}  // namespace guests
