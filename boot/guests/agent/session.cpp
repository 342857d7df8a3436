// SPDX-License-Identifier: MIT
#include "agent/session.hpp"

#include <poll.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <system_error>

namespace guests::agent {
namespace {

sigset_t child_signals() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGCHLD);
  return signals;
}

bool readable(int fd) {
  pollfd p{fd, POLLIN, 0};
  return ::poll(&p, 1, 0) == 1;
}

}  // namespace

void block_child_signals() {
  const sigset_t signals = child_signals();
  ::sigprocmask(SIG_BLOCK, &signals, nullptr);
  ::signal(SIGPIPE, SIG_IGN);
}

Session::Session(Line& line, const Job& job, Command command)
    : line_(line), job_(job), command_(std::move(command)) {
  const sigset_t signals = child_signals();
  children_.reset(::signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK));
  if (!children_) throw std::system_error(errno, std::generic_category(), "signalfd");
}

void Session::handle(const Frame& frame) {
  switch (frame.type) {
    case FrameType::input:
      pending_input_ += frame.payload;
      break;
    case FrameType::input_end:
      input_ended_ = true;
      break;
    case FrameType::signal:
      ::kill(-command_.pid, static_cast<int>(decode_u32(frame.payload)));
      break;
    case FrameType::window_size:
      if (job_.terminal)
        set_window_size(command_, decode_u32(frame.payload, 0), decode_u32(frame.payload, 1));
      break;
    default:
      throw FrameError("a frame for the other side");
  }
}

void Session::write_input() {
  if (command_.input && !pending_input_.empty()) {
    const ssize_t written = ::write(command_.input.get(), pending_input_.data(), pending_input_.size());
    if (written > 0) {
      line_.send(FrameType::consumed, encode_u32({static_cast<uint32_t>(written)}));
      pending_input_.erase(0, static_cast<size_t>(written));
    } else if (errno != EAGAIN && errno != EINTR) {
      command_.input.reset();  // the command reads no more
    }
  }
  if (!command_.input && !pending_input_.empty()) {
    line_.send(FrameType::consumed, encode_u32({static_cast<uint32_t>(pending_input_.size())}));
    pending_input_.clear();
  }
  if (input_ended_ && pending_input_.empty() && command_.input) {
    if (job_.terminal) {
      const char end_of_file = 4;  // as if typed: VEOF
      [[maybe_unused]] const ssize_t written = ::write(command_.input.get(), &end_of_file, 1);
      input_ended_ = false;
    } else {
      command_.input.reset();
    }
  }
}

bool Session::relay(UniqueFd& stream, FrameType type) {
  std::array<char, 16384> buffer{};
  const ssize_t received = ::read(stream.get(), buffer.data(), buffer.size());
  if (received > 0) {
    line_.send(type, {buffer.data(), static_cast<size_t>(received)});
    return true;
  }
  // A terminal whose last user is gone gives EIO.
  if (received == 0 || (errno != EINTR && errno != EAGAIN)) stream.reset();
  return false;
}

void Session::reap() {
  signalfd_siginfo info{};
  while (::read(children_.get(), &info, sizeof info) == sizeof info) {
  }
  int status = 0;
  for (pid_t pid; (pid = ::waitpid(-1, &status, WNOHANG)) > 0;)
    if (pid == command_.pid) status_ = status;
}

int Session::run() {
  while (!status_) {
    std::array<pollfd, 5> fds{pollfd{line_.fd(), POLLIN, 0}, pollfd{children_.get(), POLLIN, 0},
                              pollfd{command_.output.get(), POLLIN, 0},
                              pollfd{command_.error.get(), POLLIN, 0},
                              pollfd{pending_input_.empty() ? -1 : command_.input.get(), POLLOUT, 0}};
    const int timeout = job_.poll_ms ? static_cast<int>(job_.poll_ms) : -1;
    if (::poll(fds.data(), fds.size(), timeout) < 0 && errno != EINTR)
      throw std::system_error(errno, std::generic_category(), "poll");
    if (fds[0].revents) {
      line_.receive();
      while (auto frame = line_.next()) handle(*frame);
    }
    if (!pending_input_.empty() || input_ended_) write_input();
    if (fds[2].revents) relay(command_.output, FrameType::output);
    if (fds[3].revents) relay(command_.error, FrameType::error);
    if (fds[1].revents) reap();
  }
  // What it wrote before it ended; descendants that live on may hold the pipes open, nobody waits for those.
  while (command_.output && readable(command_.output.get()) && relay(command_.output, FrameType::output)) {
  }
  while (command_.error && readable(command_.error.get()) && relay(command_.error, FrameType::error)) {
  }
  return *status_;
}

}  // namespace guests::agent
