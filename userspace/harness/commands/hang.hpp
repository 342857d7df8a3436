// SPDX-License-Identifier: MIT
#pragma once

#include <CLI/CLI.hpp>

namespace harness {

/// The subcommands about hangs on purpose; as in commands.hpp.
void add_hang(CLI::App& app, int& exit_code);
void add_hang_case(CLI::App& app, int& exit_code);
void add_hang_report(CLI::App& app, int& exit_code);

}  // namespace harness
