// SPDX-License-Identifier: MIT
#pragma once

#include <poll.h>

#include <functional>
#include <string>
#include <vector>

#include "channel/frames.hpp"
#include "common/unique_fd.hpp"

namespace guests {

using common::UniqueFd;

/// Moves bytes between our standard streams and the guest's serial line without ever blocking, and hands on
/// the frames that are not bytes.
class Relay {
 public:
  /// `live_input`: standard input is forwarded.
  Relay(UniqueFd line, bool live_input);

  /// What to poll for, appended to `fds`; give the same vector to handle() afterwards, with our entries at
  /// `first`.
  void add_to(std::vector<pollfd>& fds);
  void handle(const std::vector<pollfd>& fds, size_t first);

  void send(FrameType type, std::string_view payload = {});
  void on_frame(std::function<void(const Frame&)> callback) { on_frame_ = std::move(callback); }
  /// Nobody reads our standard output or error any more.
  void on_broken_pipe(std::function<void()> callback) { on_broken_pipe_ = std::move(callback); }

  /// The guest's end is closed and everything it sent has been handled.
  [[nodiscard]] bool line_closed() const noexcept { return line_closed_; }
  /// Standard input may be forwarded from now on.
  void start_input() noexcept { input_started_ = true; }
  /// Hands on what the line still holds and writes all output, blocking.
  void finish();

 private:
  struct Output {
    int fd;
    std::string pending;
    bool broken = false;
  };
  void receive();
  void take_frames();
  void flush_line();
  void write_output(Output& output, size_t limit);
  void read_input();
  [[nodiscard]] bool outputs_full() const noexcept;

  UniqueFd line_;
  FrameReader reader_;
  std::string to_line_;
  Output out_{1, {}}, err_{2, {}};
  std::function<void(const Frame&)> on_frame_;
  std::function<void()> on_broken_pipe_;
  size_t input_under_way_ = 0;
  bool input_open_;
  bool input_started_ = false;
  bool line_closed_ = false;
};

}  // namespace guests
