// SPDX-License-Identifier: MIT
#include "ladder/ladder.hpp"

#include <fmt/format.h>

#include <memory>
#include <optional>

#include "board/board_tree.hpp"
#include "commands/commands.hpp"
#include "commands/report_options.hpp"
#include "exit_code.hpp"
#include "ladder/kernel_log.hpp"
#include "ladder/ladder_report.hpp"

namespace harness {
namespace {

struct Options {
  std::string node;
  std::vector<std::string> only;
  double deadline_s = 15;
  ReportOptions report;
  bool list = false;
};

constexpr const char* exit_codes =
    "Examples:\n"
    "  panthor-harness ladder\n"
    "  panthor-harness ladder --rung nop-stream --rung kill-computing --json\n"
    "  git bisect run ssh BOARD panthor-harness ladder\n"
    "Exit codes, as git bisect run wants them:\n"
    "  0    every rung holds\n"
    "  1    a hang, an error or a wrong result\n"
    "  2    usage\n"
    "  125  cannot test here: no render node driven by panthor\n";

std::vector<Rung> select(const std::vector<std::string>& only) {
  const auto all = all_rungs();
  if (only.empty()) return all;
  std::vector<Rung> selected;
  for (const std::string& name : only) {
    try {
      selected.push_back(find_rung(all, name));
    } catch (const std::invalid_argument& error) {
      throw CLI::ValidationError("--rung", error.what());
    }
  }
  return selected;
}

/// The driver is there and so is the GPU, but its probe failed: that is a finding, not a machine that cannot
/// test.
std::optional<RungResult> failed_probe() {
  const BoardTree board;
  const auto node = find_gpu_node(board);
  if (!node || !node->driver.empty() || !board.exists("/sys/bus/platform/drivers/panthor"))
    return std::nullopt;
  RungResult result;
  result.name = "probe";
  result.description = "The driver takes the GPU";
  result.outcome = RungBoard::Outcome::failed;
  result.waiting_for = "the driver's probe of " + node->name;
  result.error = fmt::format("panthor is loaded, but did not take {}", node->name);
  KernelLog log(KernelLog::From::boot);
  result.evidence.kernel_log_readable = log.readable();
  result.evidence.kernel_log = log.drain();
  std::erase_if(result.evidence.kernel_log,
                [](const std::string& line) { return line.find("panthor") == std::string::npos; });
  result.stage = infer_stage(result.evidence, Stage::refused);
  return result;
}

int ladder(const Options& options) {
  const auto rungs = select(options.only);
  if (options.list) {
    for (const Rung& rung : rungs)
      fmt::print("{:<15} {}  {}\n", rung.name, stage_name(rung.stage), rung.description);
    return exit_good;
  }
  const auto report = options.report.reporter();
  std::vector<std::string> names;
  for (const Rung& rung : rungs) names.emplace_back(rung.name);
  std::string node;
  try {
    const auto device = panthor::Device::open_path_or_first(options.node);
    node = device.path();
    report->begin(fmt::format("ladder on {}, panthor {}", node, to_string(device.version())), names);
  } catch (const std::system_error& error) {
    if (const auto probe = failed_probe()) {
      names.insert(names.begin(), probe->name);
      report->begin("ladder", names);
      report->step(rung_step(*probe));
      report->end(climb_summary({{*probe}, names.size(), probe->name}));
      return exit_failed;
    }
    fmt::print(stderr, "panthor-harness: cannot test here: {}\n", error.what());
    return exit_cannot_test;
  }
  const auto deadline =
      std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::duration<double>(options.deadline_s));
  std::fflush(stdout);  // the children must not inherit what is buffered
  const Climb result =
      climb(rungs, node, deadline, [&](const RungResult& rung) { report->step(rung_step(rung)); });
  report->end(climb_summary(result));
  return result.passed() ? exit_good : exit_failed;
}

}  // namespace

void add_ladder(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand(
      "ladder", "Climb the submit path rung by rung; name the first that hangs, and where");
  command->footer(exit_codes);
  command->add_option("--device", options->node, "Render node (default: the first one driven by panthor)");
  command->add_option("--rung", options->only, "Only this rung; may repeat")->expected(1)->take_all();
  command->add_option("--deadline", options->deadline_s, "Seconds a fence may take")
      ->capture_default_str()
      ->check(CLI::Range(0.1, 3600.0));
  command->add_flag("--list", options->list, "Print the rungs, run nothing");
  options->report.add_to(*command);
  command->callback([options, &exit_code] { exit_code = ladder(*options); });
}

}  // namespace harness
