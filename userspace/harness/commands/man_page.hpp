// SPDX-License-Identifier: MIT
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace harness {

/// The manual page of a program with subcommands, as man(7) text made from what --help prints.
[[nodiscard]] std::string man_page(const CLI::App& app);

}  // namespace harness
