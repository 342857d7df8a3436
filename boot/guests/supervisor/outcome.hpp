// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>

#include "supervisor/options.hpp"

namespace guests {

/// How a run ended.
struct Outcome {
  enum class Kind {
    exited,       ///< the command ended by itself; exit_status
    signalled,    ///< by a signal; signal
    deadline,     ///< --timeout
    interrupted,  ///< we were told to end; signal
    lab_failure,  ///< message says what
  };
  Kind kind = Kind::lab_failure;
  int exit_status = 0;
  int signal = 0;
  std::string message = {};
  std::string dmesg_line = {};           ///< the first line --fail-on-dmesg matched
  double boot_seconds = 0, seconds = 0;  ///< host time until the command started, and of the whole run

  /// What panthor-guest exits with.
  [[nodiscard]] int exit_code() const noexcept;
  /// As written to --result.
  [[nodiscard]] std::string to_json(const Options& options, std::string_view logs) const;
};

}  // namespace guests
