// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <sstream>

#include "board/checks.hpp"

namespace harness {
namespace {

using Level = Finding::Level;

std::string megahertz(const std::string& hertz) {
  return hertz.empty() ? "?" : fmt::format("{} MHz", std::stoull("0" + hertz) / 1'000'000);
}

/// The devfreq device of the GPU; empty when there is none.
std::string devfreq(const BoardTree& board) {
  const auto node = find_gpu_node(board);
  for (const std::string& name : board.list("/sys/class/devfreq"))
    if ((node && name == node->name) || name.find("gpu") != std::string::npos)
      return "/sys/class/devfreq/" + name;
  return "";
}

Finding clock(const BoardTree& board) {
  const std::string dir = devfreq(board);
  if (dir.empty())
    return {Level::warning, "no devfreq device: no operating points, or no driver",
            "ls /sys/class/devfreq; dmesg | grep -i opp"};
  const std::string current = board.text(dir + "/cur_freq");
  const std::string points = board.text(dir + "/available_frequencies");
  if (points.empty())
    return {Level::bad, "the GPU has no operating points (operating-points-v2 in the device tree)",
            "ls /proc/device-tree | grep opp"};
  std::istringstream words(points);
  unsigned count = 0;
  for (std::string word; words >> word;) ++count;
  return {Level::good,
          fmt::format("{}, {} operating points, governor {}", megahertz(current), count,
                      board.text(dir + "/governor")),
          ""};
}

Finding regulator(const BoardTree& board) {
  for (const std::string& name : board.list("/sys/class/regulator")) {
    const std::string dir = "/sys/class/regulator/" + name;
    const std::string label = board.text(dir + "/name");
    if (label.find("gpu") == std::string::npos) continue;
    const std::string microvolts = board.text(dir + "/microvolts");
    const std::string state = board.text(dir + "/state");
    const std::string found =
        fmt::format("{} {} {} mV", label, state.empty() ? "?" : state,
                    microvolts.empty() ? "?" : std::to_string(std::stoull("0" + microvolts) / 1000));
    return {Level::good, found, ""};
  }
  return {Level::unknown, "no regulator with \"gpu\" in its name",
          "grep . /sys/class/regulator/*/name (a GPU may do without)"};
}

Finding power_domain(const BoardTree& board) {
  constexpr const char* summary = "/sys/kernel/debug/pm_genpd/pm_genpd_summary";
  if (!board.exists(summary))
    return board.list("/sys/kernel/debug").empty()
               ? Finding{Level::unknown, "power domains are not visible: no debugfs, or not root",
                         "sudo mount -t debugfs none /sys/kernel/debug; run this as root"}
               : Finding{Level::unknown, "this kernel shows no power domains",
                         "zgrep PM_GENERIC_DOMAINS /proc/config.gz (an RK3588 needs them; a guest has none)"};
  std::istringstream lines(board.text(summary));
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string name;
    std::string state;
    words >> name >> state;
    if (name == "gpu" || name.find("GPU") != std::string::npos)
      return {Level::good, fmt::format("{} {}", name, state), ""};
  }
  return {Level::unknown, "no power domain is named gpu", fmt::format("cat {}", summary)};
}

Finding runtime_pm(const BoardTree& board) {
  const auto node = find_gpu_node(board);
  if (!node) return {Level::unknown, "no GPU", ""};
  const std::string status = board.text(node->sysfs() + "/power/runtime_status");
  if (status == "error")
    return {Level::bad, "runtime power management is in error: a suspend or resume failed",
            fmt::format("echo {0} >/sys/bus/platform/drivers/panthor/unbind; "
                        "echo {0} >/sys/bus/platform/drivers/panthor/bind",
                        node->name)};
  if (status.empty()) return {Level::unknown, "runtime power state is not readable", ""};
  return {Level::good, fmt::format("{}, control {}", status, board.text(node->sysfs() + "/power/control")),
          ""};
}

constexpr Check table[] = {
    {"clock", clock},
    {"regulator", regulator},
    {"power domain", power_domain},
    {"runtime PM", runtime_pm},
};

}  // namespace

std::span<const Check> power_checks() {
  return table;
}

}  // namespace harness
