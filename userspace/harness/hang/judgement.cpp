// SPDX-License-Identifier: MIT
#include "hang/judgement.hpp"

#include <algorithm>
#include <string_view>

namespace harness {
namespace {

using Json = nlohmann::ordered_json;

/// The stall detector's line (docs/hang-dump.md).
constexpr std::string_view detector_mark = "stall: stage=";
/// A job takes microseconds; one that took this long was found by someone's timeout.
constexpr int64_t late_ms = 1000;

std::optional<Notice> first_line(const Json& lines, bool detector) {
  for (const Json& line : lines) {
    const auto text = line.at("text").get<std::string>();
    const auto mark = text.find(detector_mark);
    if ((mark != std::string::npos) != detector) continue;
    return Notice{line.at("ms").get<int64_t>(), detector ? text.substr(mark + detector_mark.size(), 2) : "",
                  text};
  }
  return std::nullopt;
}

std::optional<Notice> autopsy_of(const Json& seen) {
  const Json& said = seen.at("autopsy");
  if (said.is_null() || !said.contains("stages") || said["stages"].empty()) return std::nullopt;
  std::string stages;
  for (const Json& stage : said["stages"])
    stages += (stages.empty() ? "" : "|") + stage.get<std::string>().substr(0, 2);
  return Notice{said.at("ms").get<int64_t>(), stages,
                said.contains("headline") ? said["headline"].dump() : ""};
}

Judgement::Process process_of(const Json& seen) {
  using Process = Judgement::Process;
  const Json& end = seen.at("end");
  if (!end.is_null()) {
    if (end.at("failed")) return Process::ended_with_error;
    return end.at("ms").get<int64_t>() >= late_ms ? Process::ended_late : Process::ended;
  }
  const Json& process = seen.at("process");
  const auto state = process.at("state").get<std::string>();
  if (state == "D") return Process::stuck;
  return state == "S" && process.at("cpu_ms").get<int64_t>() == 0 ? Process::asleep : Process::busy;
}

Judgement::Fresh fresh_of(const Json& seen) {
  using Fresh = Judgement::Fresh;
  if (seen.at("fresh").at("passed")) return Fresh::computes;
  return seen.at("after").at("passed") ? Fresh::computes_without_cause : Fresh::hangs;
}

}  // namespace

std::optional<int64_t> Judgement::noticed_ms() const {
  std::optional<int64_t> earliest;
  for (const auto* notice : {&kernel_log, &detector, &autopsy})
    if (*notice) earliest = std::min(earliest.value_or((*notice)->ms), (*notice)->ms);
  return earliest;
}

Judgement judge(const Json& seen) {
  Judgement result;
  result.process = process_of(seen);
  if (!seen.at("end").is_null()) result.ended_ms = seen["end"].at("ms").get<int64_t>();
  // What came after the watch was called forth by killing the process.
  Json lines = Json::array();
  for (const Json& line : seen.at("log"))
    if (line.at("ms") <= seen.at("watch_ms")) lines.push_back(line);
  result.kernel_log = first_line(lines, false);
  result.detector = first_line(lines, true);
  result.autopsy = autopsy_of(seen);
  result.fresh = fresh_of(seen);
  const Json& death = seen.at("death");
  result.left_in_d = !death.at("died") && !death.at("died_after");
  result.users_symptom =
      result.process == Judgement::Process::asleep && !result.kernel_log && !result.detector;
  const auto stage = seen.at("stage").get<std::string>();
  for (const auto* notice : {&result.detector, &result.autopsy})
    if (*notice)
      result.stage_right =
          result.stage_right.value_or(true) && (*notice)->stage.find(stage) != std::string::npos;
  return result;
}

const char* process_name(Judgement::Process process) noexcept {
  constexpr const char* names[] = {"sleeps", "stuck (D)", "busy", "ended", "ended late", "error"};
  return names[static_cast<size_t>(process)];
}

const char* fresh_name(Judgement::Fresh fresh) noexcept {
  constexpr const char* names[] = {"computes", "once it is gone", "hangs"};
  return names[static_cast<size_t>(fresh)];
}

}  // namespace harness
