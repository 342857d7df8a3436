// SPDX-License-Identifier: MIT
#include "ladder/kernel_log.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>

namespace harness {

std::string kmsg_message(std::string_view record) {
  if (const auto header = record.find(';'); header != std::string_view::npos)
    record.remove_prefix(header + 1);
  return std::string(record.substr(0, record.find('\n')));
}

KernelLog::KernelLog(From from) : fd_(::open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC)) {
  if (fd_ && ::lseek(fd_.get(), 0, from == From::now ? SEEK_END : SEEK_SET) < 0) fd_.reset();
}

std::vector<std::string> KernelLog::drain() {
  std::vector<std::string> lines;
  std::array<char, 8192> record;  // CONSOLE_EXT_LOG_MAX
  while (fd_) {
    const ssize_t got = ::read(fd_.get(), record.data(), record.size());
    if (got < 0 && errno == EPIPE) continue;  // records were overwritten: go on with the oldest one left
    if (got <= 0) break;
    lines.push_back(kmsg_message({record.data(), static_cast<size_t>(got)}));
  }
  return lines;
}

}  // namespace harness
