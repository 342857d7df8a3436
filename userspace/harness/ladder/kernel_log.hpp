// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "panthor/unique_fd.hpp"

namespace harness {

/// The kernel log from the moment the object is made, or from boot (/dev/kmsg). Not readable with
/// kernel.dmesg_restrict and without CAP_SYSLOG; then it has no lines.
class KernelLog {
 public:
  enum class From : uint8_t { now, boot };
  explicit KernelLog(From from = From::now);

  [[nodiscard]] bool readable() const noexcept { return static_cast<bool>(fd_); }
  /// What came since the last call, without time stamps.
  [[nodiscard]] std::vector<std::string> drain();

 private:
  panthor::UniqueFd fd_;
};

/// The message of a /dev/kmsg record "PRIORITY,SEQUENCE,TIME,FLAGS;MESSAGE\n KEY=VALUE...".
[[nodiscard]] std::string kmsg_message(std::string_view record);

}  // namespace harness
