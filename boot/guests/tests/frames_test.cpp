// SPDX-License-Identifier: MIT
#include "channel/frames.hpp"

#include <gtest/gtest.h>

#include <string>

namespace guests {
namespace {

TEST(Frames, SurviveBeingCutAnywhere) {
  const std::string payload = std::string("a\0b", 3) + std::string(1000, '\xff');
  const std::string bytes = encode_frame(FrameType::output, payload) + encode_frame(FrameType::input_end);
  for (size_t cut = 0; cut <= bytes.size(); ++cut) {
    FrameReader reader;
    reader.append(std::string_view(bytes).substr(0, cut));
    std::vector<Frame> frames;
    while (auto frame = reader.next()) frames.push_back(*frame);
    reader.append(std::string_view(bytes).substr(cut));
    while (auto frame = reader.next()) frames.push_back(*frame);
    ASSERT_EQ(frames.size(), 2U) << cut;
    EXPECT_EQ(frames[0].payload, payload);
    EXPECT_EQ(frames[1].type, FrameType::input_end);
  }
}

TEST(Frames, NumbersAreLittleEndianAndChecked) {
  const std::string bytes = encode_u32({0x01020304, 5});
  EXPECT_EQ(bytes.substr(0, 4), "\x04\x03\x02\x01");
  EXPECT_EQ(decode_u32(bytes, 0), 0x01020304U);
  EXPECT_EQ(decode_u32(bytes, 1), 5U);
  EXPECT_THROW((void)decode_u32(bytes, 2), FrameError);
}

TEST(Frames, GarbageIsRefused) {
  for (const std::string& bytes :
       {std::string("Kernel panic - not syncing"), std::string(8, '\0'),
        std::string("\x03\0\0\0\xff\xff\xff\xff", 8), std::string("\x03\x01\0\0\0\0\0\0", 8)}) {
    FrameReader reader;
    reader.append(bytes);
    EXPECT_THROW((void)reader.next(), FrameError);
  }
}

TEST(Frames, TooLongIsRefused) {
  EXPECT_THROW((void)encode_frame(FrameType::output, std::string(max_payload + 1, 'x')), FrameError);
  EXPECT_EQ(encode_frame(FrameType::output, std::string(max_payload, 'x')).size(), max_payload + 8);
}

}  // namespace
}  // namespace guests
