// SPDX-License-Identifier: MIT
#pragma once

#include <CLI/CLI.hpp>

namespace harness {

/// Each adds one subcommand to `app`. When it is chosen, its exit code is put into `exit_code` by the parse.
void add_info(CLI::App& app, int& exit_code);
void add_bench(CLI::App& app, int& exit_code);
void add_smoke(CLI::App& app, int& exit_code);
void add_load(CLI::App& app, int& exit_code);
void add_ladder(CLI::App& app, int& exit_code);
void add_stress(CLI::App& app, int& exit_code);
void add_heap(CLI::App& app, int& exit_code);
void add_fit(CLI::App& app, int& exit_code);
void add_record(CLI::App& app, int& exit_code);
void add_replay(CLI::App& app, int& exit_code);
void add_doctor(CLI::App& app, int& exit_code);
void add_autopsy(CLI::App& app, int& exit_code);
void add_hang_job(CLI::App& app, int& exit_code);

}  // namespace harness
