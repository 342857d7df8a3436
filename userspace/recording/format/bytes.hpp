// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

namespace recording {

using Bytes = std::vector<std::byte>;
using ByteView = std::span<const std::byte>;

/// What is read is not a recording, or a damaged one. The text says what is wrong and where.
class FormatError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Puts integers, strings and lists behind each other, little-endian; a length is a u32.
class Encoder {
 public:
  explicit Encoder(Bytes& out) : out_(out) {}

  template <typename T>
  requires std::is_integral_v<T> || std::is_enum_v<T>
  void operator()(const T& value) {
    if constexpr (std::is_enum_v<T>)
      (*this)(static_cast<std::underlying_type_t<T>>(value));
    else
      for (size_t i = 0; i < sizeof(T); ++i)
        out_.push_back(static_cast<std::byte>(static_cast<std::make_unsigned_t<T>>(value) >> (8 * i)));
  }
  void operator()(const Bytes& bytes) {
    (*this)(static_cast<uint32_t>(bytes.size()));
    out_.insert(out_.end(), bytes.begin(), bytes.end());
  }
  void operator()(const std::string& text) {
    (*this)(static_cast<uint32_t>(text.size()));
    const auto bytes = std::as_bytes(std::span(text));
    out_.insert(out_.end(), bytes.begin(), bytes.end());
  }
  template <typename T>
  requires std::is_class_v<T>
  void operator()(const std::vector<T>& list) {
    (*this)(static_cast<uint32_t>(list.size()));
    for (const T& item : list) fields(*this, item);
  }

 private:
  Bytes& out_;
};

/// Reads what Encoder wrote. Never reads or allocates beyond what is there: throws FormatError instead.
class Decoder {
 public:
  explicit Decoder(ByteView in) : in_(in) {}

  [[nodiscard]] size_t left() const noexcept { return in_.size(); }

  ByteView take(size_t count) {
    if (count > in_.size()) throw FormatError("a field reaches beyond its event");
    const ByteView taken = in_.first(count);
    in_ = in_.subspan(count);
    return taken;
  }

  template <typename T>
  requires std::is_integral_v<T> || std::is_enum_v<T>
  void operator()(T& value) {
    if constexpr (std::is_enum_v<T>) {
      std::underlying_type_t<T> raw{};
      (*this)(raw);
      value = static_cast<T>(raw);
    } else {
      uint64_t raw = 0;
      const ByteView bytes = take(sizeof(T));
      for (size_t i = 0; i < sizeof(T); ++i) raw |= std::to_integer<uint64_t>(bytes[i]) << (8 * i);
      value = static_cast<T>(raw);
    }
  }
  void operator()(Bytes& bytes) {
    const ByteView taken = take(length());
    bytes.assign(taken.begin(), taken.end());
  }
  void operator()(std::string& text) {
    const ByteView taken = take(length());
    text.assign(reinterpret_cast<const char*>(taken.data()), taken.size());
  }
  template <typename T>
  requires std::is_class_v<T>
  void operator()(std::vector<T>& list) {
    const uint32_t count = length();
    if (count > in_.size()) throw FormatError("a list has more items than its event has bytes");
    list.clear();
    for (uint32_t i = 0; i < count; ++i) fields(*this, list.emplace_back());
  }

 private:
  uint32_t length() {
    uint32_t value = 0;
    (*this)(value);
    return value;
  }

  ByteView in_;
};

}  // namespace recording
