// SPDX-License-Identifier: MIT
#pragma once

namespace harness {

/// Exit codes of panthor-harness; --help prints them.
enum ExitCode : int {
  exit_good = 0,          ///< everything that ran passed
  exit_failed = 1,        ///< a hang or a wrong result
  exit_usage = 2,         ///< the command line makes no sense
  exit_undecided = 3,     ///< bench --compare: too few runs to tell whether a row became slower
  exit_no_device = 77,    ///< no render node driven by panthor: nothing was tested
  exit_cannot_test = 125  ///< ladder: the same, as git bisect run wants it
};

inline constexpr const char* exit_code_help =
    "Exit codes:\n"
    "  0   everything passed\n"
    "  1   a hang, an error or a wrong result\n"
    "  2   usage\n"
    "  77  no render node driven by panthor: nothing was tested\n";

}  // namespace harness
