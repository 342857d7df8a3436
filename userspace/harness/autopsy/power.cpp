// SPDX-License-Identifier: MIT
#include "autopsy/power.hpp"

#include <fmt/format.h>

#include <charconv>
#include <sstream>

#include "autopsy/bounded_read.hpp"
#include "autopsy/driver_files.hpp"

namespace harness::autopsy {
namespace {

std::optional<uint64_t> number(const std::string& text) {
  uint64_t value = 0;
  const auto [at, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && at == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

/// The first line of `text` that has `word` in it, its runs of blanks made one.
std::string line_with(const std::string& text, const std::string& word) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.find(word) == std::string::npos) continue;
    std::istringstream words(line);
    std::string result;
    for (std::string part; words >> part;) result += (result.empty() ? "" : " ") + part;
    return result;
  }
  return "";
}

}  // namespace

PowerLook look_at_power(const BoardTree& board) {
  PowerLook look;
  look.source.name = "power";
  look.clocks.name = "clocks and domains";
  const auto node = find_gpu_node(board);
  if (!node) {
    look.source.note = look.clocks.note = "no Mali among the platform devices";
    return look;
  }
  Power& power = look.power;
  const std::string dir = node->sysfs() + "/power/";
  power.runtime_status = board.text(dir + "runtime_status");
  power.control = board.text(dir + "control");
  power.active_ms = number(board.text(dir + "runtime_active_time"));
  power.suspended_ms = number(board.text(dir + "runtime_suspended_time"));
  const std::string devfreq = fmt::format("{}/devfreq/{}/", node->sysfs(), node->name);
  power.governor = board.text(devfreq + "governor");
  // It asks the clock framework, whose lock a clock that hangs holds.
  const Bounded frequency = read_bounded(board.path(devfreq + "cur_freq"));
  power.hz = number(frequency.text.substr(0, frequency.text.find('\n')));
  look.source.seen = !power.runtime_status.empty();
  look.source.note = look.source.seen
                         ? fmt::format("{}, control {}, {} MHz by {}", power.runtime_status, power.control,
                                       power.hz ? fmt::format("{}", *power.hz / 1'000'000) : "?",
                                       power.governor.empty() ? "no governor" : power.governor)
                         : "the kernel has no runtime power management (CONFIG_PM)";
  look.source.text =
      fmt::format("runtime_status {}\ncontrol {}\nactive_ms {}\nsuspended_ms {}\ngovernor {}\nhz {}\n",
                  power.runtime_status, power.control, power.active_ms.value_or(0),
                  power.suspended_ms.value_or(0), power.governor, power.hz.value_or(0));

  // Both files take locks of their subsystems.
  const Bounded clocks = read_bounded(board.path("/sys/kernel/debug/clk/clk_summary"));
  const Bounded domains = read_bounded(board.path("/sys/kernel/debug/pm_genpd/pm_genpd_summary"));
  power.clock = line_with(clocks.text, node->name);
  power.domain = line_with(domains.text, "gpu");
  look.clocks.seen = !power.clock.empty() || !power.domain.empty();
  look.clocks.text = power.clock + '\n' + power.domain + '\n';
  look.clocks.note = look.clocks.seen
                         ? fmt::format("clock: {}; domain: {}", power.clock.empty() ? "-" : power.clock,
                                       power.domain.empty() ? "-" : power.domain)
                         : debugfs_excuse(board, "neither a clock nor a power domain names the GPU");
  return look;
}

bool stayed_suspended(const Power& before, const Power& after) {
  return before.runtime_status == "suspended" && after.runtime_status == "suspended" && before.active_ms &&
         before.active_ms == after.active_ms;
}

bool stayed_active(const Power& before, const Power& after) {
  return before.runtime_status == "active" && after.runtime_status == "active" && before.suspended_ms &&
         before.suspended_ms == after.suspended_ms;
}

}  // namespace harness::autopsy
