// SPDX-License-Identifier: MIT
#pragma once

#include <termios.h>

#include <optional>

namespace guests {

/// Puts the terminal on standard input into raw mode for its lifetime; does nothing when there is none.
class RawTerminal {
 public:
  explicit RawTerminal(bool wanted) {
    termios mode{};
    if (!wanted || ::tcgetattr(0, &mode) != 0) return;
    saved_ = mode;
    ::cfmakeraw(&mode);
    ::tcsetattr(0, TCSANOW, &mode);
  }
  ~RawTerminal() {
    if (saved_) ::tcsetattr(0, TCSANOW, &*saved_);
  }
  RawTerminal(const RawTerminal&) = delete;
  RawTerminal& operator=(const RawTerminal&) = delete;

 private:
  std::optional<termios> saved_;
};

}  // namespace guests
