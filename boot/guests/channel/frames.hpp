// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

/// What agent (in the guest) and supervisor (on the host) say to each other over a serial line: frames of a
/// type, a length and bytes. The line is clean and ordered, so a frame that makes no sense is fatal.
namespace guests {

enum class FrameType : uint8_t {
  // agent to supervisor
  up = 1,    ///< the agent runs; text: nothing
  started,   ///< the command has been started
  output,    ///< bytes of the command's standard output (or of its terminal)
  error,     ///< bytes of its standard error
  consumed,  ///< u32: so many bytes of `input` have been taken, more may come
  exited,    ///< u32: wait status as of waitpid(2); the guest powers off next
  failed,    ///< text: why the command could not be run in this guest; powers off next
  warning,   ///< text for the user
  // supervisor to agent
  input = 64,   ///< bytes for the command's standard input
  input_end,    ///< end of the standard input
  signal,       ///< u32: signal number for the command's process group
  window_size,  ///< u32 rows, u32 columns
};

/// The supervisor never has more bytes of `input` under way than this. It has to stay well below the 4 KiB of the
/// guest's terminal buffer: UML never reads on from a serial line that was throttled once (arch/um/drivers/line.c,
/// line_unthrottle()).
inline constexpr size_t input_window = 2048;

struct Frame {
  FrameType type{};
  std::string payload;
};

class FrameError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

inline constexpr size_t max_payload = 65536;  ///< bytes

/// A frame as bytes on the line: type, three zeroes, u32 length (little endian), payload of at most
/// max_payload.
[[nodiscard]] std::string encode_frame(FrameType type, std::string_view payload = {});

[[nodiscard]] std::string encode_u32(std::initializer_list<uint32_t> values);
/// The index-th u32 of a payload; throws FrameError when it is too short.
[[nodiscard]] uint32_t decode_u32(std::string_view payload, size_t index = 0);

/// Cuts a byte stream into frames.
class FrameReader {
 public:
  void append(std::string_view bytes) { buffer_.append(bytes); }
  /// The next complete frame. Throws FrameError for a header that makes no sense.
  [[nodiscard]] std::optional<Frame> next();

 private:
  std::string buffer_;
  size_t start_ = 0;
};

}  // namespace guests
