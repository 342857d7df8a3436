// SPDX-License-Identifier: MIT
#include "supervisor/relay.hpp"

#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>

namespace guests {
namespace {

/// Output that waits for a slow reader; beyond that the guest waits.
constexpr size_t output_limit = 1U << 20;

/// A write of this much to a pipe that polls writable does not block.
constexpr size_t output_step = PIPE_BUF;

enum Slot : size_t { line_slot, input_slot, out_slot, err_slot };

}  // namespace

Relay::Relay(UniqueFd line, bool live_input) : line_(std::move(line)), input_open_(live_input) {}

bool Relay::outputs_full() const noexcept {
  return out_.pending.size() > output_limit || err_.pending.size() > output_limit;
}

void Relay::add_to(std::vector<pollfd>& fds) {
  short line_events = 0;
  if (!outputs_full()) line_events |= POLLIN;
  if (!to_line_.empty()) line_events |= POLLOUT;
  const bool want_input = input_open_ && input_started_ && input_under_way_ < input_window;
  fds.push_back({line_closed_ ? -1 : line_.get(), line_events, 0});
  fds.push_back({want_input ? 0 : -1, POLLIN, 0});
  fds.push_back({out_.pending.empty() ? -1 : out_.fd, POLLOUT, 0});
  fds.push_back({err_.pending.empty() ? -1 : err_.fd, POLLOUT, 0});
}

void Relay::handle(const std::vector<pollfd>& fds, size_t first) {
  if (fds[first + out_slot].revents) write_output(out_, output_step);
  if (fds[first + err_slot].revents) write_output(err_, output_step);
  if (fds[first + line_slot].revents & POLLOUT) flush_line();
  if (fds[first + line_slot].revents & (POLLIN | POLLHUP | POLLERR)) receive();
  if (fds[first + input_slot].revents) read_input();
}

void Relay::send(FrameType type, std::string_view payload) {
  to_line_ += encode_frame(type, payload);
  flush_line();
}

void Relay::flush_line() {
  while (!to_line_.empty() && !line_closed_) {
    const ssize_t sent = ::send(line_.get(), to_line_.data(), to_line_.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
    if (sent < 0) {
      if (errno != EAGAIN && errno != EINTR) to_line_.clear();  // the guest is gone: receive() finds out
      return;
    }
    to_line_.erase(0, static_cast<size_t>(sent));
  }
}

void Relay::receive() {
  std::array<char, 65536> buffer{};
  while (!outputs_full() && !line_closed_) {
    const ssize_t received = ::recv(line_.get(), buffer.data(), buffer.size(), MSG_DONTWAIT);
    if (received < 0 && errno == EINTR) continue;
    if (received < 0 && errno == EAGAIN) return;
    if (received <= 0) {
      line_closed_ = true;
    } else {
      reader_.append({buffer.data(), static_cast<size_t>(received)});
      take_frames();
    }
  }
}

void Relay::take_frames() {
  while (auto frame = reader_.next()) {
    switch (frame->type) {
      case FrameType::output:
        if (!out_.broken) out_.pending += frame->payload;
        write_output(out_, output_step);
        break;
      case FrameType::error:
        if (!err_.broken) err_.pending += frame->payload;
        write_output(err_, output_step);
        break;
      case FrameType::consumed:
        input_under_way_ -= std::min<size_t>(input_under_way_, decode_u32(frame->payload));
        break;
      default:
        if (on_frame_) on_frame_(*frame);
    }
  }
}

void Relay::write_output(Output& output, size_t limit) {
  while (!output.pending.empty()) {
    pollfd writable{output.fd, POLLOUT, 0};
    if (limit == output_step && ::poll(&writable, 1, 0) != 1) return;
    const ssize_t written = ::write(output.fd, output.pending.data(), std::min(limit, output.pending.size()));
    if (written >= 0) {
      output.pending.erase(0, static_cast<size_t>(written));
    } else if (errno == EAGAIN) {
      if (limit == output_step) return;
      ::poll(&writable, 1, -1);
    } else if (errno != EINTR) {
      output.pending.clear();
      if (!std::exchange(output.broken, true) && on_broken_pipe_) on_broken_pipe_();
    }
  }
}

void Relay::read_input() {
  std::array<char, 16384> buffer{};
  const size_t room = std::min(buffer.size(), input_window - input_under_way_);
  const ssize_t got = ::read(0, buffer.data(), room);
  if (got > 0) {
    input_under_way_ += static_cast<size_t>(got);
    send(FrameType::input, {buffer.data(), static_cast<size_t>(got)});
  } else if (got == 0 || (errno != EAGAIN && errno != EINTR)) {
    input_open_ = false;
    send(FrameType::input_end);
  }
}

void Relay::finish() {
  receive();
  for (Output* output : {&out_, &err_}) write_output(*output, output_limit);
  receive();
  for (Output* output : {&out_, &err_}) write_output(*output, output_limit);
}

}  // namespace guests
