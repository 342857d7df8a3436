// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <map>
#include <memory>
#include <nlohmann/json.hpp>

#include "commands/commands.hpp"
#include "exit_code.hpp"
#include "jobs/priorities.hpp"
#include "load/worker_process.hpp"
#include "panthor/device.hpp"

namespace harness {
namespace {

struct Options {
  LoadOptions worker;
  unsigned processes = 8;
  double seconds = 10;
  double timeout_s = 30;
  bool json = false;
};

std::chrono::nanoseconds from_seconds(double seconds) {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::duration<double>(seconds));
}

std::vector<LoadResult> run_processes(const Options& options) {
  std::vector<WorkerProcess> workers;
  workers.reserve(options.processes);
  for (unsigned i = 0; i < options.processes; ++i) {
    LoadOptions worker = options.worker;
    worker.seed += i;
    workers.emplace_back(worker);
  }
  // The worker notices a hang itself after its timeout; twice that, and the process itself is stuck. Without
  // a duration nobody knows how long the rounds take.
  using Clock = std::chrono::steady_clock;
  const auto deadline = options.worker.duration.count() == 0
                            ? Clock::time_point::max()
                            : Clock::now() + options.worker.duration + 2 * options.worker.timeout;
  std::vector<LoadResult> results;
  for (WorkerProcess& worker : workers) results.push_back(worker.wait(deadline));
  return results;
}

void print_human(const std::vector<LoadResult>& results) {
  uint64_t jobs = 0;
  for (size_t i = 0; i < results.size(); ++i) {
    jobs += results[i].jobs;
    fmt::print("  {}  process {:<3} {:>8} rounds {:>9} jobs  slowest {:>9.2f} ms  {}\n",
               results[i].error[0] == 0 ? "pass" : "FAIL", i, results[i].rounds, results[i].jobs,
               static_cast<double>(results[i].slowest_ns) / 1e6, results[i].error);
  }
  fmt::print("{} jobs checked\n", jobs);
}

void print_json(const std::vector<LoadResult>& results) {
  nlohmann::ordered_json json = nlohmann::ordered_json::array();
  for (const LoadResult& result : results)
    json.push_back({{"rounds", result.rounds},
                    {"jobs", result.jobs},
                    {"slowest_ms", static_cast<double>(result.slowest_ns) / 1e6},
                    {"error", result.error}});
  fmt::print("{}\n", nlohmann::ordered_json{{"processes", json}}.dump(2));
}

int load(Options options) {
  options.worker.node = panthor::Device::open_path_or_first(options.worker.node).path();
  options.worker.timeout = from_seconds(options.timeout_s);
  options.worker.duration =
      options.worker.rounds == 0 ? from_seconds(options.seconds) : std::chrono::nanoseconds(0);
  if (!options.json) {
    fmt::print("load on {}: {} processes, {} groups each, {}\n", options.worker.node, options.processes,
               options.worker.groups,
               options.worker.rounds == 0 ? fmt::format("{} s", options.seconds)
                                          : fmt::format("{} rounds", options.worker.rounds));
    std::fflush(stdout);  // the children must not inherit what is buffered
  }
  const auto results = run_processes(options);
  (options.json ? print_json : print_human)(results);
  const bool passed =
      std::ranges::all_of(results, [](const LoadResult& result) { return result.error[0] == 0; });
  return passed ? exit_good : exit_failed;
}

}  // namespace

void add_load(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<Options>();
  CLI::App* command =
      app.add_subcommand("load", "Many processes with many groups at once, every result checked");
  command->footer(
      std::string("Examples:\n"
                  "  panthor-harness load --seconds 60\n"
                  "  panthor-harness load --processes 16 --groups 8 --rounds 100 --seed 3 --json\n") +
      exit_code_help);
  command->add_option("--device", options->worker.node,
                      "Render node (default: the first one driven by panthor)");
  command->add_option("--processes", options->processes, "Processes")
      ->capture_default_str()
      ->check(CLI::Range(1, 256));
  command->add_option("--groups", options->worker.groups, "Groups of each process")
      ->capture_default_str()
      ->check(CLI::Range(1, 128));
  command->add_option("--queues", options->worker.queues, "Queues of each group")
      ->capture_default_str()
      ->check(CLI::Range(1, 8));
  std::map<std::string, panthor::GroupPriority> priorities;
  for (unsigned i = 0; i < panthor::group_priority_count; ++i)
    priorities[priority_names[i]] = static_cast<panthor::GroupPriority>(i);
  command->add_option("--priority", options->worker.priority, "Of all groups (default: mixed)")
      ->transform(CLI::CheckedTransformer(priorities));
  auto* seconds = command->add_option("--seconds", options->seconds, "How long")
                      ->capture_default_str()
                      ->check(CLI::PositiveNumber);
  command->add_option("--rounds", options->worker.rounds, "So many rounds instead of a time")
      ->check(CLI::PositiveNumber)
      ->excludes(seconds);
  command->add_option("--timeout", options->timeout_s, "Seconds after which a wait is a hang")
      ->capture_default_str()
      ->check(CLI::PositiveNumber);
  command->add_option("--seed", options->worker.seed, "Same seed, same jobs")->capture_default_str();
  command->add_flag("--json", options->json, "One JSON object instead of lines");
  command->callback([options, &exit_code] { exit_code = load(*options); });
}

}  // namespace harness
