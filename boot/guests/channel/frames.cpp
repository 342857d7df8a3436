// SPDX-License-Identifier: MIT
#include "channel/frames.hpp"

#include <array>
#include <string>

namespace guests {
namespace {

constexpr size_t header_size = 8;

void put_u32(std::string& bytes, uint32_t value) {
  for (int shift = 0; shift < 32; shift += 8) bytes.push_back(static_cast<char>(value >> shift & 0xff));
}

uint32_t get_u32(std::string_view bytes) {
  uint32_t value = 0;
  for (size_t i = 0; i < 4; ++i)
    value |= static_cast<uint32_t>(static_cast<unsigned char>(bytes[i])) << (8 * i);
  return value;
}

bool known(uint8_t type) {
  return (type >= static_cast<uint8_t>(FrameType::up) && type <= static_cast<uint8_t>(FrameType::warning)) ||
         (type >= static_cast<uint8_t>(FrameType::input) &&
          type <= static_cast<uint8_t>(FrameType::window_size));
}

}  // namespace

std::string encode_frame(FrameType type, std::string_view payload) {
  if (payload.size() > max_payload) throw FrameError("frame too long");
  std::string bytes;
  bytes.reserve(header_size + payload.size());
  bytes.push_back(static_cast<char>(type));
  bytes.append(3, '\0');
  put_u32(bytes, static_cast<uint32_t>(payload.size()));
  bytes.append(payload);
  return bytes;
}

std::string encode_u32(std::initializer_list<uint32_t> values) {
  std::string bytes;
  for (const uint32_t value : values) put_u32(bytes, value);
  return bytes;
}

uint32_t decode_u32(std::string_view payload, size_t index) {
  if (payload.size() < 4 * (index + 1)) throw FrameError("frame too short");
  return get_u32(payload.substr(4 * index));
}

std::optional<Frame> FrameReader::next() {
  const std::string_view rest = std::string_view(buffer_).substr(start_);
  if (rest.size() >= header_size) {
    const auto type = static_cast<uint8_t>(rest[0]);
    const uint32_t length = get_u32(rest.substr(4));
    if (!known(type) || rest[1] || rest[2] || rest[3] || length > max_payload)
      throw FrameError("bytes that are no frame");
    if (rest.size() - header_size >= length) {
      Frame frame{static_cast<FrameType>(type), std::string(rest.substr(header_size, length))};
      start_ += header_size + length;
      return frame;
    }
  }
  buffer_.erase(0, start_);
  start_ = 0;
  return std::nullopt;
}

}  // namespace guests
