// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string_view>

#include "channel/frames.hpp"
#include "common/unique_fd.hpp"

namespace guests::agent {

using common::UniqueFd;

/// The agent's end of the serial line.
class Line {
 public:
  /// Opens it and makes it raw. Throws std::system_error.
  explicit Line(const char* path);

  [[nodiscard]] int fd() const noexcept { return fd_.get(); }
  /// Blocks until the line has taken it.
  void send(FrameType type, std::string_view payload = {});
  /// Reads what is there without blocking, then gives frames until there are none.
  void receive();
  [[nodiscard]] std::optional<Frame> next() { return reader_.next(); }
  /// Blocks until the host has everything.
  void drain() const;

 private:
  UniqueFd fd_;
  FrameReader reader_;
};

}  // namespace guests::agent
