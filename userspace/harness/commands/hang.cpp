// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <memory>
#include <stdexcept>

#include "commands/hang.hpp"
#include "exit_code.hpp"
#include "hang/case.hpp"
#include "hang/workload.hpp"

namespace harness {
namespace {

struct Options {
  std::string node, kind;
};

constexpr const char* hang_footer =
    "Examples:\n"
    "  panthor-harness hang sync-wait &     # sleeps like a user's process; then look at it\n"
    "  panthor-harness ladder\n"
    "A kind whose stage is \"-\" ends by itself, unless a fault of the GPU or the kernel keeps it.\n";

constexpr const char* case_footer =
    "Output: one JSON object, everything that was seen. Needs root, and the virtual GPU for --fault or a "
    "panthor with the\n"
    "series \"plants\" for --plant. ./lab hang-matrix plays every kind and judges what comes out.\n";

const Workload& workload_of(const std::string& name) {
  try {
    return find_workload(name);
  } catch (const std::invalid_argument& error) {
    throw CLI::ValidationError("KIND", error.what());
  }
}

int hang(const Options& options) {
  if (options.kind.empty()) {
    for (const Workload& workload : workloads())
      fmt::print("{:<14} {:<2} {}\n", workload.name, workload.stage, workload.what);
    return exit_good;
  }
  const Workload& workload = workload_of(options.kind);
  WorkloadContext context{panthor::Device::open_path_or_first(options.node).path(), [&] {
                            fmt::print("hang {}: process {} waits: {}\n", workload.name, ::getpid(),
                                       workload.what);
                            std::fflush(stdout);
                          }};
  workload.run(context);
  fmt::print("hang {}: it ended\n", workload.name);
  return exit_good;
}

struct CaseArguments {
  HangCase hang;
  CaseOptions options;
  double watch_s = 60;
};

int play_case(CaseArguments arguments) {
  (void)workload_of(arguments.hang.workload);
  arguments.options.node = panthor::Device::open_path_or_first(arguments.options.node).path();
  arguments.options.watch = std::chrono::milliseconds(static_cast<int64_t>(arguments.watch_s * 1000));
  const auto seen = play(arguments.hang, arguments.options);
  fmt::print("{}\n", seen.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
  return exit_good;
}

}  // namespace

void add_hang(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand(
      "hang", "Do work that hangs, and sleep like a user's process: practice for the other commands");
  command->footer(std::string(hang_footer) + exit_code_help);
  command->add_option("kind", options->kind,
                      "What to do; without it: the kinds, and the stage each stops at");
  command->add_option("--device", options->node, "Render node (default: the first one driven by panthor)");
  command->callback([options, &exit_code] { exit_code = hang(*options); });
}

void add_hang_case(CLI::App& app, int& exit_code) {
  auto arguments = std::make_shared<CaseArguments>();
  CLI::App* command = app.add_subcommand("hang-case", "Play one hang and write down who noticed what");
  command->group("");  // for ./lab hang-matrix
  command->footer(std::string(case_footer) + exit_code_help);
  HangCase& hang = arguments->hang;
  command->add_option("name", hang.name, "Its name in the output")->required();
  command->add_option("--stage", hang.stage, "Where it is known to stop")->required();
  command->add_option("--fault", hang.faults, "Fault of the virtual GPU; may repeat")
      ->expected(1)
      ->take_all();
  command->add_option("--plant", hang.plant, "Plant of the kernel");
  command->add_option("--hang", hang.workload, "Workload, see `panthor-harness hang`")->capture_default_str();
  command->add_flag("--asleep", hang.asleep, "Let the GPU go to sleep between the arming and the work");
  command->add_option("--watch", arguments->watch_s, "Seconds from the work's start until it is killed")
      ->capture_default_str()
      ->check(CLI::Range(1.0, 3600.0));
  command->add_option("--trace", arguments->options.trace_file, "Write the kernel's tracepoints here");
  command->add_option("--device", arguments->options.node,
                      "Render node (default: the first one driven by panthor)");
  command->callback([arguments, &exit_code] { exit_code = play_case(*arguments); });
}

}  // namespace harness
