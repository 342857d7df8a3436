// SPDX-License-Identifier: MIT
#pragma once

#include <optional>

#include "format/chunk.hpp"
#include "format/event.hpp"
#include "format/info.hpp"

namespace recording {

/// Reads a recording that lies in memory, event by event. Trusts nothing in it: whatever the bytes are, it
/// reads inside them, holds at most one chunk unpacked and comes to an end.
class Reader {
 public:
  /// Throws FormatError when `file` is no recording of this version or its info chunk is damaged.
  explicit Reader(ByteView file);

  [[nodiscard]] const Info& info() const noexcept { return info_; }

  /// The next event; nothing at the end of what is whole, see damage().
  [[nodiscard]] std::optional<Event> next();

  /// Empty, or why reading stopped before the last byte, e.g. "cut off 118 bytes into the chunk at byte
  /// 40960". Everything that next() returned before is whole.
  [[nodiscard]] const std::string& damage() const noexcept { return damage_; }

  /// Events of types this version does not know, so far.
  [[nodiscard]] uint64_t unknown_events() const noexcept { return unknown_events_; }

  /// From the first event again.
  void rewind();

 private:
  bool next_chunk();
  ChunkHeader read_chunk();

  ByteView file_;
  size_t at_ = preamble_bytes;
  size_t first_events_ = 0;
  Info info_;
  Bytes chunk_;
  size_t chunk_at_ = 0;  ///< where the unpacked chunk begins in the file
  Decoder decoder_{ByteView()};
  std::string damage_;
  uint64_t unknown_events_ = 0;
};

}  // namespace recording
