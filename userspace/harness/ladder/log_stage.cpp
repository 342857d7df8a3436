// SPDX-License-Identifier: MIT
#include "ladder/log_stage.hpp"

#include <string_view>

namespace harness {
namespace {

/// Lines of the driver that name the stage themselves (panthor_fw.c, panthor_gpu.c, panthor_hw.c,
/// panthor_mmu.c, panthor_sched.c), the most telling first.
struct LogMarker {
  std::string_view text;
  Stage stage;
};

constexpr LogMarker log_markers[] = {
    {"Failed to boot MCU", Stage::refused},
    {"Firmware version is 0", Stage::refused},
    {"power transition", Stage::refused},
    {"readiness", Stage::refused},
    {"Soft reset timeout", Stage::refused},
    {"RESET timed out", Stage::refused},
    {"AS_ACTIVE bit stuck", Stage::dependency},
    {"Flush caches timeout", Stage::not_fetched},  // the AS the flush was for stays locked
    {"update request timedout", Stage::no_slot},
    {"Unhandled Page fault", Stage::executing},
    {"CS_FATAL", Stage::executing},
    {"CS_FAULT", Stage::executing},
    {"FW ping timeout", Stage::executing},
};

}  // namespace

std::optional<LogStage> stage_from_log(const std::vector<std::string>& lines) {
  for (const LogMarker& marker : log_markers)
    for (const std::string& line : lines)
      if (line.find(marker.text) != std::string::npos) return LogStage{marker.stage, line};
  return std::nullopt;
}

}  // namespace harness
