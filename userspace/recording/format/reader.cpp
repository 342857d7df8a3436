// SPDX-License-Identifier: MIT
#include "format/reader.hpp"

#include <zstd.h>

#include "format/crc32.hpp"

namespace recording {
namespace {

Bytes unpack(const ChunkHeader& header, ByteView stored) {
  if (header.codec == Codec::none) {
    if (header.raw_bytes != header.stored_bytes) throw FormatError("two lengths of an uncompressed chunk");
    return {stored.begin(), stored.end()};
  }
  Bytes raw(header.raw_bytes);
  const size_t size = ZSTD_decompress(raw.data(), raw.size(), stored.data(), stored.size());
  if (ZSTD_isError(size) != 0) throw FormatError(std::string("zstd: ") + ZSTD_getErrorName(size));
  if (size != raw.size()) throw FormatError("a chunk unpacks to another length than its header says");
  return raw;
}

}  // namespace

Reader::Reader(ByteView file) : file_(file) {
  check_preamble(file_);
  if (read_chunk().kind != ChunkKind::info) throw FormatError("the first chunk is not the info chunk");
  info_ = decode_info(chunk_);
  first_events_ = at_;
}

void Reader::rewind() {
  at_ = first_events_;
  decoder_ = Decoder(ByteView());
  damage_.clear();
  unknown_events_ = 0;
}

/// Unpacks the chunk at at_ into chunk_ and moves behind it.
ChunkHeader Reader::read_chunk() {
  const ByteView rest = file_.subspan(at_);
  if (rest.size() < chunk_header_bytes) throw FormatError("cut off inside a chunk header");
  const ChunkHeader header = decode_chunk_header(rest.first(chunk_header_bytes));
  const ByteView payload = rest.subspan(chunk_header_bytes);
  if (payload.size() < header.stored_bytes)
    throw FormatError("cut off: " + std::to_string(payload.size()) + " of " +
                      std::to_string(header.stored_bytes) + " bytes of a chunk are there");
  const ByteView stored = payload.first(header.stored_bytes);
  if (crc32(stored) != header.payload_crc) throw FormatError("wrong CRC of a chunk's content");
  chunk_ = unpack(header, stored);
  chunk_at_ = at_;
  at_ += chunk_header_bytes + header.stored_bytes;
  return header;
}

bool Reader::next_chunk() {
  if (at_ == file_.size()) return false;
  const ChunkHeader header = read_chunk();
  decoder_ = Decoder(header.kind == ChunkKind::events ? ByteView(chunk_) : ByteView());
  return true;
}

std::optional<Event> Reader::next() {
  try {
    while (damage_.empty()) {
      if (decoder_.left() == 0) {
        if (!next_chunk()) return std::nullopt;
        continue;
      }
      if (auto event = decode(decoder_)) return event;
      ++unknown_events_;
    }
  } catch (const FormatError& error) {
    damage_ = std::string(error.what()) + " (at byte " +
              std::to_string(decoder_.left() == 0 ? at_ : chunk_at_) + ")";
    decoder_ = Decoder(ByteView());
  }
  return std::nullopt;
}

}  // namespace recording
