// SPDX-License-Identifier: MIT
#include "supervisor/guest_run.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <fstream>
#include <system_error>

#include "supervisor/run_directory.hpp"
#include "supervisor/terminal.hpp"

namespace guests {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr seconds vgpu_start_limit{20};
constexpr seconds power_off_limit{60};
/// A command that was sent SIGTERM has so long before everything is ended.
constexpr seconds term_grace{10};
constexpr int vgpu_grace_ms = 5000;
/// Between the guest's closing its connections and the end of its process.
constexpr int guest_exit_ms = 3000;

/// Room for what the guest prints while we are busy: in virtual time a full line would show as an interrupt
/// at a moment that the host decides.
constexpr int line_buffer = 16 << 20;

std::array<UniqueFd, 2> make_line() {
  std::array<int, 2> fds{};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds.data()) != 0)
    throw std::system_error(errno, std::generic_category(), "socketpair");
  for (const int fd : fds)
    if (::setsockopt(fd, SOL_SOCKET, SO_SNDBUFFORCE, &line_buffer, sizeof line_buffer) != 0)
      ::setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &line_buffer, sizeof line_buffer);
  return {UniqueFd(fds[0]), UniqueFd(fds[1])};
}

/// What panthor_vgpu.ko says when it gives up on the model (kernel-patches/lab/panthor_vgpu_link.c): from
/// then on the guest ran without a GPU, whatever its command made of that.
constexpr std::string_view link_lost = "virtual GPU does not answer";

/// From `text` to the end of the first line that contains it; empty when none does.
std::string find_in(const std::filesystem::path& file, std::string_view text) {
  std::ifstream stream(file);
  for (std::string line; std::getline(stream, line);)
    if (const size_t at = line.find(text); at != std::string::npos) return line.substr(at);
  return {};
}

std::string last_line(const std::filesystem::path& file) {
  std::ifstream stream(file);
  std::string last;
  for (std::string line; std::getline(stream, line);)
    if (!line.empty()) last = line;
  return last;
}

void say(std::string_view text) {
  fmt::print(stderr, "panthor-guest: {}\n", text);
}

}  // namespace

GuestRun::GuestRun(const Options& options, const GuestSetup& setup, Job::Input input, int signals)
    : options_(options),
      setup_(setup),
      signals_(signals),
      live_(input == Job::Input::live),
      relay_(
          [this] {
            auto [ours, theirs] = make_line();
            guest_line_ = std::move(theirs);
            return std::move(ours);
          }(),
          live_) {
  phase_deadline_ = started_ + options.boot_timeout;
  deadline_ = options.timeout.count() ? started_ + options.timeout : Clock::time_point::max();
  relay_.on_frame([this](const Frame& frame) { handle_frame(frame); });
  relay_.on_broken_pipe([this] {
    if (phase_ == Phase::running) relay_.send(FrameType::signal, encode_u32({SIGPIPE}));
  });
}

void GuestRun::end(Outcome::Kind kind, std::string message) {
  if (!outcome_) outcome_ = Outcome{.kind = kind, .message = std::move(message)};
  phase_ = Phase::over;
}

bool GuestRun::start_vgpu() {
  std::array<int, 2> ready{};
  if (::pipe2(ready.data(), O_CLOEXEC) != 0) throw std::system_error(errno, std::generic_category(), "pipe");
  UniqueFd read_end(ready[0]), write_end(ready[1]);
  Spawn spawn = setup_.vgpu(options_, write_end.get());
  if (options_.time == TimeMode::virtual_time && live_) spawn.arguments.push_back("--pace");
  vgpu_ = Process(spawn);
  write_end.reset();

  pollfd p{read_end.get(), POLLIN, 0};
  char byte = 0;
  const int limit = static_cast<int>(milliseconds(vgpu_start_limit).count());
  if (::poll(&p, 1, limit) == 1 && ::read(read_end.get(), &byte, 1) == 1) return true;
  end(Outcome::Kind::lab_failure,
      fmt::format("the virtual GPU did not start: {}", last_line(setup_.vgpu_errors())));
  return false;
}

void GuestRun::start_kernel() {
  kernel_ = Process(setup_.kernel(options_, guest_line_.get()));
  guest_line_.reset();
}

void GuestRun::handle_frame(const Frame& frame) {
  switch (frame.type) {
    case FrameType::up:
      break;
    case FrameType::started:
      phase_ = Phase::running;
      phase_deadline_ = Clock::time_point::max();
      relay_.start_input();
      break;
    case FrameType::warning:
      say(frame.payload);
      break;
    case FrameType::failed:
      end(Outcome::Kind::lab_failure, "the guest could not run the command: " + frame.payload);
      phase_ = Phase::ending;
      phase_deadline_ = Clock::now() + power_off_limit;
      break;
    case FrameType::exited: {
      const int status = static_cast<int>(decode_u32(frame.payload));
      if (!outcome_)
        outcome_ = WIFSIGNALED(status)
                       ? Outcome{.kind = Outcome::Kind::signalled, .signal = WTERMSIG(status)}
                       : Outcome{.kind = Outcome::Kind::exited, .exit_status = WEXITSTATUS(status)};
      phase_ = Phase::ending;
      phase_deadline_ = Clock::now() + power_off_limit;
      break;
    }
    default:
      throw FrameError("a frame for the other side");
  }
}

void GuestRun::handle_signals() {
  signalfd_siginfo info{};
  while (::read(signals_, &info, sizeof info) == sizeof info) {
    const int number = static_cast<int>(info.ssi_signo);
    if (number == SIGCHLD) continue;
    if (number == SIGWINCH) {
      winsize size{};
      if (options_.terminal && phase_ == Phase::running && ::ioctl(0, TIOCGWINSZ, &size) == 0)
        relay_.send(FrameType::window_size, encode_u32({size.ws_row, size.ws_col}));
      continue;
    }
    if (phase_ != Phase::running || ++end_signals_ > 1) {
      if (!outcome_) outcome_ = Outcome{.kind = Outcome::Kind::interrupted, .signal = number};
      phase_ = Phase::over;
      continue;
    }
    relay_.send(FrameType::signal, encode_u32({info.ssi_signo}));
    if (number == SIGTERM) phase_deadline_ = Clock::now() + term_grace;
  }
}

void GuestRun::handle_deadlines() {
  const auto now = Clock::now();
  if (now >= deadline_ && phase_ != Phase::over) {
    outcome_.reset();
    end(Outcome::Kind::deadline, fmt::format("ended after {} s", options_.timeout.count()));
  } else if (now >= phase_deadline_ && phase_ == Phase::booting) {
    end(Outcome::Kind::lab_failure,
        fmt::format("the guest did not come up within {} s", options_.boot_timeout.count()));
  } else if (now >= phase_deadline_ && phase_ == Phase::running) {
    outcome_ = Outcome{.kind = Outcome::Kind::interrupted, .signal = SIGTERM};
    phase_ = Phase::over;
  } else if (now >= phase_deadline_ && phase_ == Phase::ending) {
    outcome_.reset();
    end(Outcome::Kind::lab_failure,
        fmt::format("the command has ended, but the guest did not power off within {} s",
                    power_off_limit.count()));
  }
}

std::string GuestRun::why_kernel_ended() const {
  if (const std::string panic = find_in(setup_.console_log(), "Kernel panic"); !panic.empty())
    return "guest " + panic;
  return fmt::format("the guest kernel ended with {}: {}", describe_status(kernel_.status().value_or(0)),
                     last_line(setup_.console_log()));
}

void GuestRun::check_processes() {
  if (kernel_.poll()) {
    relay_.finish();  // its last words
    const bool panicked =
        !outcome_ || outcome_->kind == Outcome::Kind::exited || outcome_->kind == Outcome::Kind::signalled;
    if (phase_ != Phase::ending || (panicked && *kernel_.status() != 0)) {
      outcome_.reset();
      end(Outcome::Kind::lab_failure, why_kernel_ended());
    }
    phase_ = Phase::over;
  }
  if (phase_ != Phase::over && vgpu_.poll() && (phase_ != Phase::ending || *vgpu_.status() != 0)) {
    // A model that ended well saw the guest go: then it is the guest that has something to say, in a moment.
    if (*vgpu_.status() == 0 && kernel_.wait(guest_exit_ms)) return check_processes();
    outcome_.reset();
    end(Outcome::Kind::lab_failure,
        fmt::format("the virtual GPU ended with {}: {}", describe_status(*vgpu_.status()),
                    last_line(setup_.vgpu_errors())));
  }
}

int GuestRun::poll_timeout_ms() const {
  const auto next = std::min(deadline_, phase_deadline_);
  if (next == Clock::time_point::max()) return -1;
  const auto left = std::chrono::ceil<milliseconds>(next - Clock::now()).count();
  return static_cast<int>(std::clamp<long long>(left, 0, 60'000));
}

void GuestRun::loop() {
  double boot = 0;
  while (phase_ != Phase::over) {
    std::vector<pollfd> fds{{signals_, POLLIN, 0}};
    relay_.add_to(fds);
    if (::poll(fds.data(), fds.size(), poll_timeout_ms()) < 0 && errno != EINTR)
      throw std::system_error(errno, std::generic_category(), "poll");
    const Phase before = phase_;
    relay_.handle(fds, 1);
    if (before == Phase::booting && phase_ != Phase::booting)
      boot = std::chrono::duration<double>(Clock::now() - started_).count();
    if (fds[0].revents) handle_signals();
    check_processes();
    handle_deadlines();
  }
  if (outcome_) outcome_->boot_seconds = boot;
}

Outcome GuestRun::run() {
  const RawTerminal raw(options_.terminal && live_);
  try {
    if (start_vgpu()) {
      start_kernel();
      loop();
    }
  } catch (const std::exception& e) {
    outcome_.reset();
    end(Outcome::Kind::lab_failure, e.what());
  }
  kernel_.end();
  vgpu_.end(vgpu_grace_ms);
  relay_.finish();
  const bool finished = outcome_->kind == Outcome::Kind::exited || outcome_->kind == Outcome::Kind::signalled;
  if (const std::string lost = find_in(setup_.console_log(), link_lost); finished && !lost.empty()) {
    outcome_->kind = Outcome::Kind::lab_failure;
    outcome_->message = "the " + lost;
  }
  outcome_->seconds = std::chrono::duration<double>(Clock::now() - started_).count();
  return *outcome_;
}

}  // namespace guests
