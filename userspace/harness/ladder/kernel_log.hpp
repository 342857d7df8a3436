// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "panthor/unique_fd.hpp"

namespace harness {

/// A record of /dev/kmsg.
struct KernelMessage {
  double seconds = 0;  ///< since boot, as the kernel's own log shows it
  std::string text;    ///< first line
};

/// The kernel log from the moment the object is made, or from boot (/dev/kmsg). Not readable with
/// kernel.dmesg_restrict and without CAP_SYSLOG; then it has no lines.
class KernelLog {
 public:
  enum class From : uint8_t { now, boot };
  explicit KernelLog(From from = From::now);

  [[nodiscard]] bool readable() const noexcept { return static_cast<bool>(fd_); }
  /// What came since the last call, without time stamps.
  [[nodiscard]] std::vector<std::string> drain();
  /// The same with them.
  [[nodiscard]] std::vector<KernelMessage> drain_messages();

 private:
  panthor::UniqueFd fd_;
};

/// A /dev/kmsg record "PRIORITY,SEQUENCE,MICROSECONDS,FLAGS;MESSAGE\n KEY=VALUE...".
[[nodiscard]] KernelMessage parse_kmsg(std::string_view record);

}  // namespace harness
