// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <cstdlib>
#include <memory>
#include <nlohmann/json.hpp>

#include "board/checks.hpp"
#include "commands/commands.hpp"
#include "exit_code.hpp"
#include "ladder/kernel_log.hpp"
#include "ladder/rung_process.hpp"
#include "panthor/device.hpp"

namespace harness {
namespace {

using Json = nlohmann::ordered_json;
using Level = Finding::Level;
using namespace std::chrono_literals;

struct Options {
  std::string root = "/";
  bool json = false;
};

constexpr const char* footer =
    "Examples:\n"
    "  panthor-harness doctor\n"
    "  panthor-harness doctor --json\n"
    "  panthor-harness doctor --root ./copy-of-a-board    # /proc, /sys, /boot of another machine\n"
    "Exit codes:\n"
    "  0  work can run; warnings and what this user may not see do not count\n"
    "  1  something is wrong; its line says what to type\n"
    "  2  usage\n";

constexpr const char* level_names[] = {"ok", "?", "warn", "BAD"};

/// A live machine may answer for itself; each of these may fail without harm.
void add_live_parts(BoardTree& board) {
  for (const char* name : {"XDG_RUNTIME_DIR", "VK_DRIVER_FILES", "VK_ICD_FILENAMES"})
    if (const char* value = std::getenv(name)) board.environment[name] = value;
  KernelLog log(KernelLog::From::boot);
  board.kernel_log_readable = log.readable();
  board.kernel_log = log.drain();
  try {
    const auto device = panthor::Device::open_first();
    board.gpu_id = device.gpu_info().gpu_id;
    board.run_job = [node = device.path()] {
      const auto rungs = all_rungs();
      const RungResult result = run_rung(find_rung(rungs, "memory-write"), node, 6s);
      return result.passed() ? std::string() : result.error;
    };
  } catch (const std::system_error&) {
    // The checks say what is in the way.
  }
}

int doctor(const Options& options) {
  BoardTree board;
  board.root = options.root;
  if (options.root == "/") add_live_parts(board);
  Json json = Json::array();
  bool bad = false;
  for (const Check& check : all_checks()) {
    const Finding finding = check.look(board);
    bad = bad || finding.level == Level::bad;
    const char* level = level_names[static_cast<size_t>(finding.level)];
    if (options.json) {
      json.push_back(
          {{"check", check.name}, {"result", level}, {"found", finding.found}, {"fix", finding.fix}});
      continue;
    }
    fmt::print("  {:<4} {:<16} {}\n", level, check.name, finding.found);
    if (!finding.fix.empty()) fmt::print("  {:<4} {:<16}   type: {}\n", "", "", finding.fix);
    std::fflush(stdout);
  }
  if (options.json) fmt::print("{}\n", json.dump(2, ' ', false, Json::error_handler_t::replace));
  return bad ? exit_failed : exit_good;
}

}  // namespace

void add_doctor(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand(
      "doctor", "Is this machine ready for the GPU: driver, firmware, power, permissions, Vulkan");
  command->footer(footer);
  command->add_option("--root", options->root, "Look at a file tree instead of this machine")
      ->check(CLI::ExistingDirectory);
  command->add_flag("--json", options->json, "One JSON array");
  command->callback([options, &exit_code] { exit_code = doctor(*options); });
}

}  // namespace harness
