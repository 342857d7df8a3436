// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <memory>

#include "commands/commands.hpp"
#include "commands/report_options.hpp"
#include "exit_code.hpp"
#include "scenarios/scenario.hpp"

namespace harness {
namespace {

struct Options {
  std::string node;
  std::vector<std::string> only;
  double timeout_s = 10;
  ReportOptions report;
  bool list = false;
};

std::vector<Scenario> select(const std::vector<std::string>& only) {
  std::vector<Scenario> selected;
  for (const Scenario& scenario : all_scenarios()) {
    const auto matches = [&](const std::string& prefix) { return scenario.name.starts_with(prefix); };
    if (only.empty() || std::ranges::any_of(only, matches)) selected.push_back(scenario);
  }
  if (selected.empty()) throw CLI::ValidationError("STEP", "no step is named like that; see --list");
  return selected;
}

/// Each step has a session, and with it a file and a VM, of its own: what one breaks does not fail the next.
StepResult execute(const Scenario& scenario, const std::string& node, std::chrono::nanoseconds timeout) {
  StepResult result{std::string(scenario.name), std::string(scenario.description), {}, {}};
  const auto start = std::chrono::steady_clock::now();
  try {
    Session session(panthor::Device::open(node), timeout);
    scenario.run(session);
  } catch (const std::exception& error) {
    result.error = error.what();
  }
  result.duration = std::chrono::steady_clock::now() - start;
  return result;
}

int smoke(const Options& options) {
  const auto scenarios = select(options.only);
  if (options.list) {
    for (const Scenario& scenario : scenarios) fmt::print("{:<22} {}\n", scenario.name, scenario.description);
    return exit_good;
  }
  const auto device = panthor::Device::open_path_or_first(options.node);
  const auto timeout =
      std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::duration<double>(options.timeout_s));
  const auto reporter = options.report.reporter();
  std::vector<std::string> names;
  for (const Scenario& scenario : scenarios) names.emplace_back(scenario.name);
  reporter->begin(fmt::format("smoke on {}, panthor {}", device.path(), to_string(device.version())), names);
  bool passed = true;
  for (const Scenario& scenario : scenarios) {
    const StepResult result = execute(scenario, device.path(), timeout);
    reporter->step(result);
    passed = passed && result.passed();
  }
  reporter->end();
  return passed ? exit_good : exit_failed;
}

}  // namespace

void add_smoke(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand(
      "smoke", "Submit real work on several queues and groups and check memory and fences");
  command->footer(std::string("Examples:\n"
                              "  panthor-harness smoke\n"
                              "  panthor-harness smoke sync. memory.store\n"
                              "  panthor-harness smoke --ktap --junit smoke.xml\n") +
                  exit_code_help);
  command->add_option("--device", options->node, "Render node (default: the first one driven by panthor)");
  command->add_option("--timeout", options->timeout_s, "Seconds after which a wait is a hang")
      ->capture_default_str()
      ->check(CLI::PositiveNumber);
  command->add_option("step", options->only,
                      "Only steps whose name starts with this, e.g. sync. or memory.store");
  command->add_flag("--list", options->list, "Print the steps, run nothing");
  options->report.add_to(*command);
  command->callback([options, &exit_code] { exit_code = smoke(*options); });
}

}  // namespace harness
