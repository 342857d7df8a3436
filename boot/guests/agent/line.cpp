// SPDX-License-Identifier: MIT
#include "agent/line.hpp"

#include <fcntl.h>
#include <poll.h>
#include <termios.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <string>
#include <system_error>

namespace guests::agent {

Line::Line(const char* path) : fd_(::open(path, O_RDWR | O_NOCTTY | O_CLOEXEC)) {
  termios mode{};
  if (!fd_ || ::tcgetattr(fd_.get(), &mode) != 0)
    throw std::system_error(errno, std::generic_category(), path);
  ::cfmakeraw(&mode);
  mode.c_cc[VMIN] = 1;
  mode.c_cc[VTIME] = 0;
  if (::tcsetattr(fd_.get(), TCSANOW, &mode) != 0)
    throw std::system_error(errno, std::generic_category(), path);
}

void Line::send(FrameType type, std::string_view payload) {
  const std::string bytes = encode_frame(type, payload);
  for (size_t done = 0; done < bytes.size();) {
    const ssize_t written = ::write(fd_.get(), bytes.data() + done, bytes.size() - done);
    if (written >= 0) {
      done += static_cast<size_t>(written);
    } else if (errno != EINTR) {
      throw std::system_error(errno, std::generic_category(), "serial line");
    }
  }
}

void Line::receive() {
  std::array<char, 4096> buffer{};
  pollfd readable{fd_.get(), POLLIN, 0};
  while (::poll(&readable, 1, 0) == 1 && (readable.revents & POLLIN)) {
    const ssize_t received = ::read(fd_.get(), buffer.data(), buffer.size());
    if (received <= 0) return;
    reader_.append({buffer.data(), static_cast<size_t>(received)});
  }
}

void Line::drain() const {
  ::tcdrain(fd_.get());
}

}  // namespace guests::agent
