// SPDX-License-Identifier: MIT
#include "format/chunk.hpp"

#include <algorithm>

#include "format/crc32.hpp"

namespace recording {

Bytes encode_preamble() {
  Bytes bytes;
  Encoder encoder(bytes);
  for (const char c : file_magic) encoder(c);
  encoder(format_major);
  encoder(format_minor);
  encoder(crc32(bytes));
  return bytes;
}

void check_preamble(ByteView file) {
  const auto magic = std::as_bytes(std::span(file_magic));
  if (file.size() < preamble_bytes || !std::ranges::equal(file.first(magic.size()), magic))
    throw FormatError("this is no panthor recording: it does not begin with \"\\x89PTREC\"");
  Decoder decoder(file.subspan(magic.size(), preamble_bytes - magic.size()));
  uint16_t major = 0;
  uint16_t minor = 0;
  uint32_t crc = 0;
  decoder(major);
  decoder(minor);
  decoder(crc);
  if (crc != crc32(file.first(preamble_bytes - sizeof(crc))))
    throw FormatError("the first 16 bytes are damaged");
  if (major != format_major)
    throw FormatError("format version " + std::to_string(major) + ", this program reads version " +
                      std::to_string(format_major));
}

Bytes encode_chunk_header(const ChunkHeader& header) {
  Bytes bytes;
  Encoder encoder(bytes);
  encoder(chunk_magic);
  encoder(header.kind);
  encoder(header.codec);
  encoder(uint16_t{0});
  encoder(header.stored_bytes);
  encoder(header.raw_bytes);
  encoder(header.payload_crc);
  encoder(crc32(bytes));
  return bytes;
}

ChunkHeader decode_chunk_header(ByteView bytes) {
  ChunkHeader header;
  uint32_t magic = 0;
  uint16_t zero = 0;
  uint32_t crc = 0;
  Decoder decoder(bytes);
  decoder(magic);
  decoder(header.kind);
  decoder(header.codec);
  decoder(zero);
  decoder(header.stored_bytes);
  decoder(header.raw_bytes);
  decoder(header.payload_crc);
  decoder(crc);
  if (magic != chunk_magic) throw FormatError("no chunk begins there");
  if (crc != crc32(bytes.first(chunk_header_bytes - sizeof(crc))))
    throw FormatError("wrong CRC of a chunk header");
  if (header.stored_bytes > most_chunk_bytes || header.raw_bytes > most_chunk_bytes)
    throw FormatError("a chunk longer than 16 MiB");
  if (header.kind != ChunkKind::info && header.kind != ChunkKind::events)
    throw FormatError("unknown kind of chunk");
  if (header.codec != Codec::none && header.codec != Codec::zstd) throw FormatError("unknown compression");
  return header;
}

}  // namespace recording
