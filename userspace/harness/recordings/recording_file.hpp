// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "format/reader.hpp"

namespace harness {

/// A recording on disk, mapped read-only.
class RecordingFile {
 public:
  /// Throws std::system_error naming the path.
  explicit RecordingFile(const std::string& path);
  ~RecordingFile();
  RecordingFile(const RecordingFile&) = delete;
  RecordingFile& operator=(const RecordingFile&) = delete;

  [[nodiscard]] recording::ByteView bytes() const noexcept { return bytes_; }
  /// Throws std::runtime_error "PATH: what is wrong" when it is no recording.
  [[nodiscard]] recording::Reader reader() const;

 private:
  std::string path_;
  recording::ByteView bytes_;
};

}  // namespace harness
