// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include "format/crc32.hpp"
#include "test_recording.hpp"

namespace recording::test {
namespace {

Bytes text(std::string_view chars) {
  const auto bytes = std::as_bytes(std::span(chars));
  return {bytes.begin(), bytes.end()};
}

std::vector<Event> one_of_each() {
  return {FileOpened{.file = 1, .node = "renderD128"},
          CallBegan{.call = 1,
                    .time_ns = 5,
                    .thread = 2,
                    .file = 1,
                    .fd = -1,
                    .request = 0xc0106440,
                    .image = {.argument = text("argument"),
                              .blocks = {{.state = Block::State::present, .bytes = text("block")},
                                         {.state = Block::State::unreadable, .bytes = {}}}}},
          CallEnded{.call = 1, .time_ns = 6, .error = 22, .image = {.argument = text("after"), .blocks = {}}},
          Mapped{.mapping = 3, .file = 1, .handle = 4, .offset = 4096, .length = 8192, .protection = 3},
          Content{.mapping = 3,
                  .origin = Content::Origin::observed,
                  .runs = {{.offset = 8, .bytes = text("12345678")}}},
          ContentSkipped{.mapping = 4, .length = 1ull << 40},
          Unmapped{.mapping = 3},
          FdDuplicated{.from = 7, .to = 8},
          FdClosed{.fd = 8},
          Note{.text = "a note"},
          FileClosed{.file = 1},
          Ended{.time_ns = 9}};
}

Bytes encoded(const Event& event) {
  Bytes bytes;
  encode(bytes, event);
  return bytes;
}

TEST(RecordingFormat, EveryEventComesBackAsItWas) {
  TestRecording file;
  for (const Event& event : one_of_each()) file.add(event);
  const Bytes bytes = file.bytes();
  Reader reader(bytes);
  const auto events = read_all(reader);
  ASSERT_EQ(events.size(), std::variant_size_v<Event>);
  for (size_t i = 0; i < events.size(); ++i) EXPECT_EQ(encoded(events[i]), encoded(one_of_each()[i])) << i;
  EXPECT_EQ(reader.damage(), "");
  EXPECT_EQ(reader.info().at("driver"), "panthor");
}

TEST(RecordingFormat, BytesAreLittleEndianAndAsDocumented) {
  const Bytes bytes = encoded(Unmapped{.mapping = 0x01020304});
  const Bytes expected = {std::byte{6}, std::byte{0}, std::byte{4}, std::byte{0}, std::byte{0},
                          std::byte{0}, std::byte{4}, std::byte{3}, std::byte{2}, std::byte{1}};
  EXPECT_EQ(bytes, expected);
  EXPECT_EQ(crc32(text("123456789")), 0xcbf43926u);  // the check value of CRC-32
}

TEST(RecordingFormat, CutAnywhereItGivesWhatIsWholeAndSaysSo) {
  TestRecording file;
  file.add(FileOpened{.file = 1, .node = "renderD128"});
  file.writer().flush();
  const size_t first_chunk_end = file.bytes().size();
  file.add(Ended{.time_ns = 1});
  const Bytes whole = file.bytes();
  for (size_t length = 0; length < whole.size(); ++length) {
    try {
      Reader reader(ByteView(whole).first(length));
      const size_t events = read_all(reader).size();
      EXPECT_EQ(events, length >= first_chunk_end ? 1u : 0u) << length;
      const bool between_chunks = events == 0 ? reader.damage().empty() : length == first_chunk_end;
      EXPECT_EQ(reader.damage().empty(), between_chunks) << length << ": " << reader.damage();
    } catch (const FormatError&) {
      EXPECT_LT(length, first_chunk_end);  // not even the info chunk
    }
  }
}

TEST(RecordingFormat, NoFlippedBitGoesUnnoticed) {
  TestRecording file;
  file.add(Note{.text = "something to damage"});
  const Bytes good = file.bytes();
  for (size_t bit = 0; bit < good.size() * 8; ++bit) {
    Bytes bad = good;
    bad[bit / 8] ^= static_cast<std::byte>(1 << (bit % 8));
    try {
      Reader reader(bad);
      EXPECT_TRUE(read_all(reader).empty()) << "bit " << bit;
      EXPECT_NE(reader.damage(), "") << "bit " << bit;
    } catch (const FormatError&) {
    }
  }
}

Bytes with_chunk(ChunkHeader header, const Bytes& stored) {
  TestRecording file;
  Bytes bytes = file.bytes();
  header.stored_bytes = static_cast<uint32_t>(stored.size());
  header.payload_crc = crc32(stored);
  const Bytes head = encode_chunk_header(header);
  bytes.insert(bytes.end(), head.begin(), head.end());
  bytes.insert(bytes.end(), stored.begin(), stored.end());
  return bytes;
}

TEST(RecordingFormat, UnknownEventTypesAreSkippedAndCounted) {
  Bytes raw = {std::byte{0xff}, std::byte{0x7f}, std::byte{2}, std::byte{0},
               std::byte{0},    std::byte{0},    std::byte{1}, std::byte{2}};
  encode(raw, Note{.text = "known"});
  const Bytes bytes = with_chunk({.codec = Codec::none, .raw_bytes = static_cast<uint32_t>(raw.size())}, raw);
  Reader reader(bytes);
  EXPECT_EQ(read_all(reader).size(), 1u);
  EXPECT_EQ(reader.unknown_events(), 1u);
  EXPECT_EQ(reader.damage(), "");
}

TEST(RecordingFormat, LengthsBeyondTheEventAreRefused) {
  Bytes raw = encoded(Note{.text = "text"});
  raw[6] = std::byte{0xff};  // the length of the text inside the event
  const Bytes bytes = with_chunk({.codec = Codec::none, .raw_bytes = static_cast<uint32_t>(raw.size())}, raw);
  Reader reader(bytes);
  EXPECT_TRUE(read_all(reader).empty());
  EXPECT_NE(reader.damage().find("beyond its event"), std::string::npos) << reader.damage();
}

TEST(RecordingFormat, AHugeUnpackedLengthIsRefusedBeforeItIsAllocated) {
  const Bytes bytes = with_chunk({.codec = Codec::zstd, .raw_bytes = most_chunk_bytes + 1}, text("x"));
  Reader reader(bytes);
  EXPECT_FALSE(reader.next());
  EXPECT_NE(reader.damage().find("16 MiB"), std::string::npos) << reader.damage();
}

TEST(RecordingFormat, AnotherMajorVersionIsNamed) {
  Bytes bytes = TestRecording().bytes();
  bytes[8] = std::byte{9};
  const uint32_t crc = crc32(ByteView(bytes).first(12));
  for (size_t i = 0; i < 4; ++i) bytes[12 + i] = static_cast<std::byte>(crc >> (8 * i));
  try {
    Reader reader(bytes);
    FAIL() << "was accepted";
  } catch (const FormatError& error) {
    EXPECT_NE(std::string(error.what()).find("version 9"), std::string::npos) << error.what();
  }
}

TEST(RecordingFormat, OtherFilesAreNotRecordings) {
  EXPECT_THROW(Reader(text("")), FormatError);
  EXPECT_THROW(Reader(text("#!/bin/sh\necho this is a script\n")), FormatError);
}

TEST(RecordingFormat, LongContentsAreReadBack) {
  TestRecording file;
  for (int i = 0; i < 40; ++i)
    file.add(
        Content{.mapping = 1, .runs = {{.offset = 0, .bytes = Bytes(1 << 20, static_cast<std::byte>(i))}}});
  const Bytes bytes = file.bytes();
  EXPECT_LT(bytes.size(), 1u << 20);
  Reader reader(bytes);
  EXPECT_EQ(read_all(reader).size(), 40u);
}

}  // namespace
}  // namespace recording::test
