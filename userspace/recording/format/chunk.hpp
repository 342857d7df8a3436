// SPDX-License-Identifier: MIT
#pragma once

#include <array>

#include "format/bytes.hpp"

/// The frame of a recording: a preamble, then chunks that each stand alone. See docs/recording-format.md.
namespace recording {

/// A reader refuses another major version; a newer minor version only adds event types and header keys.
inline constexpr uint16_t format_major = 1;
inline constexpr uint16_t format_minor = 0;

/// First bytes of the file: a byte no text has, the name, and a line end that text-mode transfers damage.
inline constexpr std::array<char, 8> file_magic = {'\x89', 'P', 'T', 'R', 'E', 'C', '\r', '\n'};
/// file_magic, major (u16), minor (u16), CRC-32 of the 12 bytes before (u32).
inline constexpr size_t preamble_bytes = 16;

enum class ChunkKind : uint8_t { info = 1, events = 2 };
enum class Codec : uint8_t { none = 0, zstd = 1 };

inline constexpr uint32_t chunk_magic = 0x4b4e4843;  // "CHNK"
inline constexpr size_t chunk_header_bytes = 24;
/// No chunk is longer than this, stored or unpacked: what a reader has to allocate at most.
inline constexpr uint32_t most_chunk_bytes = 16 << 20;

struct ChunkHeader {
  ChunkKind kind = ChunkKind::events;
  Codec codec = Codec::zstd;
  uint32_t stored_bytes = 0;
  uint32_t raw_bytes = 0;    ///< after decompression
  uint32_t payload_crc = 0;  ///< of the stored bytes
};

[[nodiscard]] Bytes encode_preamble();
/// Throws FormatError: too short, another magic, another major version, a wrong CRC.
void check_preamble(ByteView file);

[[nodiscard]] Bytes encode_chunk_header(const ChunkHeader& header);
/// Throws FormatError: not a chunk header, a wrong CRC, sizes beyond most_chunk_bytes, an unknown kind or
/// codec.
[[nodiscard]] ChunkHeader decode_chunk_header(ByteView bytes);

}  // namespace recording
