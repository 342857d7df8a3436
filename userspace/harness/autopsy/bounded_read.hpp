// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <string>

namespace harness::autopsy {

/// How work ended that was not trusted to end.
struct Bounded {
  bool finished = false;  ///< false: it was killed at the deadline, `text` is what had come by then
  int error = 0;          ///< errno it reported, 0: none
  std::string text;

  [[nodiscard]] bool good() const noexcept { return finished && error == 0; }
  /// "Permission denied", "did not return in 2 s (a lock of the driver is held)", or empty.
  [[nodiscard]] std::string why_not() const;
};

inline constexpr std::chrono::milliseconds read_deadline{2000};

/// Runs `work` in a child process; what it writes to its descriptor comes back, and it may be left behind:
/// many files of a hung driver wait for a lock that is held. `work` returns an errno or 0.
[[nodiscard]] Bounded run_bounded(const std::function<int(int fd)>& work,
                                  std::chrono::milliseconds deadline = read_deadline);
/// Reads a file that way, at most `size_limit` bytes of it.
[[nodiscard]] Bounded read_bounded(const std::filesystem::path& path,
                                   std::chrono::milliseconds deadline = read_deadline);

inline constexpr size_t size_limit = 4 << 20;

}  // namespace harness::autopsy
