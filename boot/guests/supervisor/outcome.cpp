// SPDX-License-Identifier: MIT
#include "supervisor/outcome.hpp"

#include <array>
#include <nlohmann/json.hpp>

namespace guests {
namespace {

constexpr std::array kind_names{"exited", "signalled", "deadline", "interrupted", "lab-failure"};

}  // namespace

int Outcome::exit_code() const noexcept {
  switch (kind) {
    case Kind::exited:
      return exit_status == 0 && !dmesg_line.empty() ? ExitCode::dmesg : exit_status;
    case Kind::signalled:
    case Kind::interrupted:
      return 128 + signal;
    case Kind::deadline:
      return ExitCode::deadline;
    case Kind::lab_failure:
      break;
  }
  return ExitCode::lab;
}

std::string Outcome::to_json(const Options& options, std::string_view logs) const {
  nlohmann::ordered_json json{
      {"outcome", kind_names.at(static_cast<size_t>(kind))},
      {"exit_code", exit_code()},
      {"command", options.command},
      {"time", options.time == TimeMode::virtual_time ? "virtual" : "wall"},
      {"cpus", options.cpus},
      {"kernel", options.kernel},
      {"faults", options.faults},
      {"boot_seconds", boot_seconds},
      {"seconds", seconds},
  };
  if (kind == Kind::exited) json["exit_status"] = exit_status;
  if (signal) json["signal"] = signal;
  if (!message.empty()) json["message"] = message;
  if (!dmesg_line.empty()) json["dmesg_line"] = dmesg_line;
  if (!logs.empty()) json["logs"] = logs;
  return json.dump(1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

}  // namespace guests
