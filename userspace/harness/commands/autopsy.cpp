// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <limits.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <memory>

#include "autopsy/bundle.hpp"
#include "autopsy/collect.hpp"
#include "autopsy/report.hpp"
#include "autopsy/watch.hpp"
#include "commands/commands.hpp"
#include "exit_code.hpp"

namespace harness {
namespace {

using autopsy::Verdict;

struct CommandLine {
  std::string root = "/";
  std::string bundle;
  int pid = 0;
  double after_s = 2;
  double window_s = 2;
  double for_s = 0;
  bool watch = false;
  bool json = false;
  bool probe = false;
};

constexpr const char* footer =
    "It only looks: nothing is stopped, reset or changed, and it comes back even when the driver does not.\n"
    "Examples:\n"
    "  sudo panthor-harness autopsy                      what hangs now, and where\n"
    "  sudo panthor-harness autopsy --watch              then start the work in another terminal\n"
    "  ssh BOARD sudo panthor-harness autopsy --bundle /tmp/hang.tar.gz\n"
    "Exit codes:\n"
    "  0   nothing hangs\n"
    "  1   something hangs, or the driver gave something up within the last minutes\n"
    "  2   usage\n"
    "  77  cannot look here: the GPU is not driven by panthor\n";

std::chrono::milliseconds milliseconds(double seconds) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::duration<double>(seconds));
}

std::string host_name() {
  std::array<char, HOST_NAME_MAX + 1> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "";
}

int autopsy_command(const CommandLine& line) {
  BoardTree board;
  board.root = line.root;
  autopsy::Options options;
  options.pid = line.pid;
  options.after = milliseconds(line.after_s);
  options.window = milliseconds(line.window_s);
  options.probe = line.probe;
  if (line.pid != 0 && !board.exists(fmt::format("/proc/{}", line.pid)))
    throw CLI::ValidationError("--pid", fmt::format("there is no process {}", line.pid));

  std::unique_ptr<autopsy::Tracer> tracer;
  if (line.watch) {
    tracer = std::make_unique<autopsy::Tracer>(board);
    if (!line.json) {
      fmt::print(stderr, "watching for a wait of more than {:g} s; start the work now\n", line.after_s);
      std::fflush(stderr);
    }
    const auto patience =
        line.for_s > 0 ? std::optional<std::chrono::nanoseconds>(milliseconds(line.for_s)) : std::nullopt;
    if (autopsy::wait_for_hang(board, options, patience)) {
      // It has stood still for long enough already, and the driver's job timeout is near.
      options.window = std::min(options.window, milliseconds(1));
      options.after = options.window;
    }
  }
  const autopsy::Facts facts = autopsy::collect(board, options, tracer.get());
  const autopsy::Diagnosis diagnosis = autopsy::diagnose(facts);
  fmt::print("{}",
             line.json ? autopsy::json_report(facts, diagnosis) : autopsy::human_report(facts, diagnosis));
  std::fflush(stdout);
  if (!line.bundle.empty()) {
    autopsy::write_bundle(line.bundle, autopsy::bundle_files(facts, diagnosis, host_name()));
    if (!line.json) fmt::print("bundle: {} (what is in it: its README.txt)\n", line.bundle);
  }
  if (diagnosis.verdict == Verdict::cannot_look) return exit_no_device;
  return diagnosis.verdict == Verdict::healthy ? exit_good : exit_failed;
}

}  // namespace

void add_autopsy(CLI::App& app, int& exit_code) {
  auto line = std::make_shared<CommandLine>();
  CLI::App* command =
      app.add_subcommand("autopsy", "A fence does not signal: name the stage where it stopped, and why");
  command->footer(footer);
  command->add_option("--pid", line->pid, "Only this process (default: every one that has the GPU open)")
      ->check(CLI::PositiveNumber);
  auto* watch = command->add_flag("--watch", line->watch, "Record jobs and wait until something hangs");
  command->add_option("--for", line->for_s, "Seconds to watch (default: until something hangs)")
      ->needs(watch)
      ->check(CLI::PositiveNumber);
  command->add_option("--after", line->after_s, "Seconds of waiting that make a hang")
      ->capture_default_str()
      ->check(CLI::Range(0.1, 86400.0));
  command->add_option("--window", line->window_s, "Seconds between the two looks")
      ->capture_default_str()
      ->check(CLI::Range(0.1, 3600.0));
  command->add_flag("--probe", line->probe, "Also submit a small job of a fresh process");
  command->add_flag("--json", line->json, "One JSON object");
  command->add_option("--bundle", line->bundle,
                      "Also pack what was seen into this .tar.gz, for a bug report");
  command->add_option("--root", line->root, "Look at a file tree instead of this machine")
      ->check(CLI::ExistingDirectory);
  command->callback([line, &exit_code] { exit_code = autopsy_command(*line); });
}

}  // namespace harness
