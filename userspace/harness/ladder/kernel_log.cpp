// SPDX-License-Identifier: MIT
#include "ladder/kernel_log.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>

namespace harness {

KernelMessage parse_kmsg(std::string_view record) {
  KernelMessage message;
  if (const auto header = record.find(';'); header != std::string_view::npos) {
    std::string_view fields = record.substr(0, header);
    for (unsigned i = 0; i < 2; ++i) fields.remove_prefix(std::min(fields.find(',') + 1, fields.size()));
    uint64_t microseconds = 0;
    std::from_chars(fields.data(), fields.data() + fields.size(), microseconds);
    message.seconds = static_cast<double>(microseconds) / 1e6;
    record.remove_prefix(header + 1);
  }
  message.text = record.substr(0, record.find('\n'));
  return message;
}

KernelLog::KernelLog(From from) : fd_(::open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC)) {
  if (fd_ && ::lseek(fd_.get(), 0, from == From::now ? SEEK_END : SEEK_SET) < 0) fd_.reset();
}

std::vector<KernelMessage> KernelLog::drain_messages() {
  std::vector<KernelMessage> messages;
  std::array<char, 8192> record;  // CONSOLE_EXT_LOG_MAX
  while (fd_) {
    const ssize_t got = ::read(fd_.get(), record.data(), record.size());
    if (got < 0 && errno == EPIPE) continue;  // records were overwritten: go on with the oldest one left
    if (got <= 0) break;
    messages.push_back(parse_kmsg({record.data(), static_cast<size_t>(got)}));
  }
  return messages;
}

std::vector<std::string> KernelLog::drain() {
  std::vector<std::string> lines;
  for (KernelMessage& message : drain_messages()) lines.push_back(std::move(message.text));
  return lines;
}

}  // namespace harness
