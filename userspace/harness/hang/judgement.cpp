// SPDX-License-Identifier: MIT
#include "hang/judgement.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>
#include <string_view>

#include "panthor/record.hpp"

namespace harness {
namespace {

using Json = nlohmann::ordered_json;

/// The stall detector's line (docs/hang-dump.md).
constexpr std::string_view detector_mark = "stall: ";
/// A job takes microseconds; one that took this long was found by someone's timeout.
constexpr int64_t late_ms = 1000;

std::optional<Notice> first_line(const Json& lines, bool detector) {
  for (const Json& line : lines) {
    const auto text = line.at("text").get<std::string>();
    const auto mark = text.find(detector_mark);
    if ((mark != std::string::npos) != detector) continue;
    Notice notice{.ms = line.at("ms").get<int64_t>(), .stages = {}, .cause = {}, .text = text};
    if (detector) {
      const auto record = panthor::Record::parse(std::string_view(text).substr(mark));
      notice.stages = autopsy::stage_by_name(record.text_or("stage", ""));
      notice.cause = record.text_or("cause", "");
    }
    return notice;
  }
  return std::nullopt;
}

std::optional<Notice> autopsy_of(const Json& seen) {
  const Json& said = seen.at("autopsy");
  if (said.is_null() || !said.contains("stages") || said["stages"].empty()) return std::nullopt;
  Notice notice{.ms = said.at("ms").get<int64_t>(),
                .stages = {},
                .cause = said.value("cause", ""),
                .text = said.value("headline", "")};
  for (const Json& stage : said["stages"])
    notice.stages = notice.stages.with(autopsy::stage_by_name(stage.get<std::string>().substr(0, 2)));
  return notice;
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
  return seen.at("after").at("passed") ? Fresh::computes_without_cause : Fresh::fails;
}

/// "S0", "S0,S3".
autopsy::StageSet stages_of(const Json& seen) {
  std::istringstream words(seen.at("stage").get<std::string>());
  autopsy::StageSet stages;
  for (std::string word; std::getline(words, word, ',');) stages = stages.with(autopsy::stage_by_name(word));
  return stages;
}

Judgement::Naming naming_of(const Notice& notice, autopsy::StageSet stages) {
  using Naming = Judgement::Naming;
  if (!notice.stages.intersects(stages)) return Naming::wrong;
  return notice.stages.without(stages).empty() ? Naming::exact : Naming::among_others;
}

/// ENODEV: the driver declared the device dead.
bool tells_that_it_is_gone(const std::string& error) {
  return error.find("No such device") != std::string::npos;
}

std::string complaint_of(const Judgement& judged, const Json& seen) {
  if (judged.left_in_d) return "SIGKILL leaves the process in D state";
  if (judged.naming == Judgement::Naming::wrong) return "a tool names a wrong stage";
  if (!seen.at("detector").get<bool>() || !judged.hung()) return "";
  if (!judged.noticed_ms()) return "nobody notices";
  if (judged.naming != Judgement::Naming::exact) return "no tool names just that stage";
  const bool waits_on = seen.at("end").is_null();
  if (waits_on && !seen.at("faults").empty()) return "broken hardware keeps the process waiting";
  if (judged.fresh == Judgement::Fresh::fails && !tells_that_it_is_gone(seen.at("after").at("error")))
    return "without the cause a fresh process still fails";
  return "";
}

}  // namespace

bool Judgement::hung() const noexcept {
  if (process == Process::ended) return false;
  return process != Process::ended_with_error || ended_ms.value_or(late_ms) >= late_ms;
}

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
  result.stages = stages_of(seen);
  for (const auto* notice : {&result.detector, &result.autopsy})
    if (*notice && result.hung())
      result.naming =
          std::min(result.naming.value_or(Judgement::Naming::exact), naming_of(**notice, result.stages));
  result.fresh = fresh_of(seen);
  const Json& death = seen.at("death");
  result.left_in_d = !death.at("died") && !death.at("died_after");
  result.users_symptom =
      result.process == Judgement::Process::asleep && !result.kernel_log && !result.detector;
  result.complaint = complaint_of(result, seen);
  return result;
}

const char* process_name(Judgement::Process process) noexcept {
  constexpr const char* names[] = {"sleeps", "stuck (D)", "busy", "ended", "ended late", "error"};
  return names[static_cast<size_t>(process)];
}

const char* fresh_name(Judgement::Fresh fresh) noexcept {
  constexpr const char* names[] = {"computes", "once it is gone", "fails"};
  return names[static_cast<size_t>(fresh)];
}

}  // namespace harness
