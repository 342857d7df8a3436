// SPDX-License-Identifier: MIT
// Forged recordings: the reader stays inside its input and the player inside its memory, whatever the bytes
// say. The input is either a whole file or, more usefully, what would be inside one chunk with correct CRCs.
#include "../tests/fake_kernel.hpp"
#include "format/crc32.hpp"
#include "listing/listing.hpp"
#include "listing/summary.hpp"
#include "player/player.hpp"

namespace {

using namespace recording;

void append_chunk(Bytes& file, ChunkKind kind, ByteView raw) {
  const Bytes header = encode_chunk_header({.kind = kind,
                                            .codec = Codec::none,
                                            .stored_bytes = static_cast<uint32_t>(raw.size()),
                                            .raw_bytes = static_cast<uint32_t>(raw.size()),
                                            .payload_crc = crc32(raw)});
  file.insert(file.end(), header.begin(), header.end());
  file.insert(file.end(), raw.begin(), raw.end());
}

Bytes wrap(ByteView events) {
  Bytes file = encode_preamble();
  append_chunk(file, ChunkKind::info, encode_info({{"driver", "panthor"}}));
  append_chunk(file, ChunkKind::events, events);
  return file;
}

void use(ByteView file) {
  try {
    Reader reader(file);
    (void)summarize(reader);
    reader.rewind();
    Listing(true, [](const std::string&) {}).list(reader);
    reader.rewind();
    test::FakeKernel kernel;
    Player player(kernel, {.check = true});
    (void)player.play(reader);
  } catch (const FormatError&) {
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const ByteView input(reinterpret_cast<const std::byte*>(data), size);
  use(input);
  use(wrap(input));
  return 0;
}
