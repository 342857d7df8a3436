// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace guests {

/// A temporary directory of this run, removed with the object. It is the guest's first root and UML's working
/// directory.
class RunDirectory {
 public:
  /// Makes it below $TMPDIR or /tmp, after removing those whose supervisor was killed. Throws
  /// std::system_error.
  RunDirectory();
  ~RunDirectory();
  RunDirectory(const RunDirectory&) = delete;
  RunDirectory& operator=(const RunDirectory&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }

 private:
  std::filesystem::path path_;
};

/// Where UML can keep its memory file of so many bytes: a directory with the room, on which files may be
/// mapped executable; /dev/shm if it will do. Throws std::runtime_error when none will.
[[nodiscard]] std::filesystem::path memory_directory(uint64_t bytes);

/// "512M" in bytes.
[[nodiscard]] uint64_t parse_size(const std::string& text);

}  // namespace guests
