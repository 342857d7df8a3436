// SPDX-License-Identifier: MIT
#pragma once

#include <memory>

#include "common/unique_fd.hpp"
#include "format/chunk.hpp"
#include "format/event.hpp"
#include "format/info.hpp"

namespace recording {

/// Writes a recording to a file. Not thread-safe. A failed write throws std::system_error; what is in the
/// file stays readable.
class Writer {
 public:
  /// Writes the preamble and the info chunk.
  Writer(common::UniqueFd file, const Info& info);
  ~Writer();  ///< does not flush
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;

  /// Keeps `event` for the next chunk; writes one when enough has come together.
  void append(const Event& event);
  /// Writes what append() kept as a chunk: from then on it survives the death of the process.
  void flush();

  [[nodiscard]] int fd() const noexcept { return file_.get(); }

 private:
  void write_chunk(ChunkKind kind, ByteView raw);

  struct Compressor;
  common::UniqueFd file_;
  std::unique_ptr<Compressor> compressor_;
  Bytes pending_;
};

}  // namespace recording
