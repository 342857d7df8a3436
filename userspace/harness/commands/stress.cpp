// SPDX-License-Identifier: MIT
#include "stress/stress.hpp"

#include <fmt/format.h>

#include <memory>

#include "commands/commands.hpp"
#include "commands/report_options.hpp"
#include "exit_code.hpp"
#include "panthor/device.hpp"
#include "stress/stress_report.hpp"

namespace harness {
namespace {

struct Options {
  StressOptions run;
  double seconds = 0;
  double deadline_s = 30;
  ReportOptions report;
};

constexpr double default_seconds = 10;

constexpr const char* examples =
    "Examples:\n"
    "  panthor-harness stress --duration 60 --seed 7\n"
    "  panthor-harness stress --kills 10000 --memory-pressure --suspend --junit stress.xml\n"
    "  panthor-harness stress --seed 7 --first-step 4705 --kills 3    # the steps around a wedge again\n";

std::chrono::nanoseconds from_seconds(double seconds) {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::duration<double>(seconds));
}

/// Says on stderr how far the run is: each tenth of its kills, and at least every ten seconds.
class Progress {
 public:
  explicit Progress(const StressOptions& options) : kills_(options.kills) {}

  void operator()(const StressResult& result) {
    using namespace std::chrono_literals;
    const auto now = std::chrono::steady_clock::now();
    const bool tenth = kills_ != 0 && result.kills >= next_;
    if (!tenth && now - last_ < 10s) return;
    last_ = now;
    if (kills_ != 0) next_ = result.kills + std::max<uint64_t>(kills_ / 10, 100);
    fmt::print(stderr, "stress: step {}, {}{} kills, {} wedges\n", result.steps, result.kills,
               kills_ == 0 ? "" : fmt::format(" of {}", kills_), result.wedges.size());
  }

 private:
  uint64_t kills_;
  uint64_t next_ = kills_ / 10;
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

int stress(Options options) {
  StressOptions& run = options.run;
  if (run.kills == 0 && options.seconds == 0) options.seconds = default_seconds;
  run.duration = from_seconds(options.seconds);
  run.deadline = from_seconds(options.deadline_s);
  const auto reporter = options.report.reporter();
  {
    const auto device = panthor::Device::open_path_or_first(run.node);
    run.node = device.path();
    reporter->begin(fmt::format("stress on {}, panthor {}: seed {}, {} processes", run.node,
                                to_string(device.version()), run.plan.seed, run.plan.processes),
                    stress_step_names(run));
  }
  std::fflush(stdout);  // the children must not inherit what is buffered
  Progress progress(run);
  const StressResult result = run_stress(run, [&](const StressResult& now) {
    if (options.report.human()) progress(now);
  });
  bool passed = true;
  for (const StepResult& step : stress_steps(run, result)) {
    reporter->step(step);
    passed = passed && !step.failed();
  }
  reporter->end(stress_summary(run, result));
  return passed ? exit_good : exit_failed;
}

}  // namespace

void add_stress(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<Options>();
  StressOptions& run = options->run;
  CLI::App* command = app.add_subcommand(
      "stress", "Kill processes in the midst of GPU work, by plan, and see that what is new computes");
  command->footer(std::string(examples) + exit_code_help);
  command->add_option("--device", run.node, "Render node (default: the first one driven by panthor)");
  command->add_option("--duration", options->seconds, "Seconds (default: 10, or until --kills are done)")
      ->check(CLI::PositiveNumber);
  command->add_option("--kills", run.kills, "Stop after so many kills")->check(CLI::PositiveNumber);
  command->add_option("--seed", run.plan.seed, "Same seed, same decisions")->capture_default_str();
  command->add_option("--first-step", run.first_step, "Begin with this step of that seed's run")
      ->capture_default_str()
      ->check(CLI::PositiveNumber);
  command->add_option("--processes", run.plan.processes, "Processes at once")
      ->capture_default_str()
      ->check(CLI::Range(1, 256));
  command->add_option("--groups", run.plan.groups, "Groups of a process with many")
      ->capture_default_str()
      ->check(CLI::Range(1, 64));
  command->add_option("--deadline", options->deadline_s, "Seconds after which something is a wedge")
      ->capture_default_str()
      ->check(CLI::Range(1.0, 3600.0));
  command->add_flag("--memory-pressure", run.plan.memory_pressure,
                    "Buffers come and go, memory gets scarce; with swap, buffers are evicted");
  command->add_flag("--suspend", run.plan.suspend,
                    "Leave the GPU alone now and then until it suspends (root sees to it that it may)");
  options->report.add_to(*command);
  command->callback([options, &exit_code] { exit_code = stress(*options); });
}

}  // namespace harness
