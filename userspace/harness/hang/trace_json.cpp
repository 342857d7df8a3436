// SPDX-License-Identifier: MIT
#include <algorithm>
#include <charconv>
#include <fstream>
#include <iterator>
#include <map>
#include <sstream>
#include <utility>

#include "hang/matrix_report.hpp"

namespace harness {
namespace {

using Json = nlohmann::ordered_json;

enum Process : int { the_case = 1, the_gpu = 2, the_kernel = 3 };

/// Microseconds since the work began, from nanoseconds of CLOCK_MONOTONIC.
double since(int64_t ns, int64_t start_ns) {
  return static_cast<double>(ns - start_ns) / 1000;
}

Json instant(int process, const std::string& thread, const std::string& name, double us, Json args) {
  return {{"name", name},           {"ph", "i"}, {"s", "t"}, {"ts", us}, {"pid", process}, {"tid", thread},
          {"args", std::move(args)}};
}

Json span(const std::string& name, double from_ms, double for_ms) {
  return {{"name", name},         {"ph", "X"},       {"ts", from_ms * 1000},
          {"dur", for_ms * 1000}, {"pid", the_case}, {"tid", "process"}};
}

/// The "key=value" words of a line; words without "=" are kept under "text".
Json words_of(std::istringstream& words) {
  Json args = Json::object();
  std::string text;
  for (std::string word; words >> word;) {
    const auto equals = word.find('=');
    if (equals == std::string::npos || equals == 0)
      text += (text.empty() ? "" : " ") + word;
    else
      args[word.substr(0, equals)] = word.substr(equals + 1);
  }
  if (!text.empty()) args["text"] = text;
  return args;
}

/// "<ns> layer.event key=value ..." (core/event_log.hpp). The line "model.mark word=start" was written when
/// the work began.
void add_model_log(Json& events, const std::filesystem::path& file) {
  std::ifstream in(file);
  int64_t start = -1;
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line); lines.push_back(line))
    if (line.find(" model.mark word=start") != std::string::npos) start = std::stoll(line);
  if (start < 0) return;
  for (const std::string& line : lines) {
    std::istringstream words(line);
    int64_t ns = 0;
    std::string what;
    if (!(words >> ns >> what)) continue;
    events.push_back(
        instant(the_gpu, what.substr(0, what.find('.')), what, since(ns, start), words_of(words)));
  }
}

/// "  comm-PID  [CPU] FLAGS  SECONDS.MICROSECONDS: event: text" (Documentation/trace/ftrace.rst).
void add_kernel_trace(Json& events, const std::filesystem::path& file, int64_t start_ns) {
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) {
    if (line.empty() || line[0] == '#') continue;
    const auto bracket = line.find(" [");
    const auto colon = line.find(": ", bracket);
    if (bracket == std::string::npos || colon == std::string::npos) continue;
    const auto time_at = line.rfind(' ', colon) + 1;
    int64_t whole = 0, micro = 0;
    const char* const end = line.data() + colon;
    const auto [dot, error] = std::from_chars(line.data() + time_at, end, whole);
    if (error != std::errc{} || dot == end || std::from_chars(dot + 1, end, micro).ec != std::errc{})
      continue;
    std::istringstream words(line.substr(colon + 2));
    std::string event;
    words >> event;
    if (!event.empty() && event.back() == ':') event.pop_back();
    const auto first = line.find_first_not_of(' ');
    events.push_back(instant(the_kernel, line.substr(first, line.find_last_not_of(' ', bracket) + 1 - first),
                             event, since((whole * 1'000'000 + micro) * 1000, start_ns), words_of(words)));
  }
}

void add_case(Json& events, const Json& seen) {
  const double watched =
      seen.at("end").is_null() ? seen.at("watch_ms").get<double>() : seen["end"]["ms"].get<double>();
  events.push_back(span(seen.at("end").is_null() ? "waits" : "waits, then ends", 0, watched));
  if (seen.at("end").is_null()) events.push_back(span("dies", watched, seen.at("death").at("ms")));
  for (const Json& line : seen.at("log"))
    events.push_back(
        instant(the_case, "kernel log", line["text"], line["ms"].get<double>() * 1000, Json::object()));
  if (const Json& autopsy = seen.at("autopsy"); autopsy.is_object())
    events.push_back(instant(the_case, "autopsy", autopsy.value("cause", "nothing"),
                             autopsy["ms"].get<double>() * 1000, autopsy));
}

/// On a time axis that begins at 0, in its order.
void sort_by_time(Json& events) {
  const auto time_of = [](const Json& event) { return event["ts"].get<double>(); };
  std::ranges::stable_sort(events.get_ref<Json::array_t&>(), {}, time_of);
  const double begin = events.empty() ? 0 : time_of(events.front());
  for (Json& event : events) event["ts"] = time_of(event) - begin;
}

/// Perfetto wants thread ids to be numbers: names become metadata.
void number_threads(Json& events) {
  std::map<std::pair<int, std::string>, int> ids;
  for (Json& event : events) {
    const auto key = std::make_pair(event["pid"].get<int>(), event["tid"].get<std::string>());
    event["tid"] = ids.try_emplace(key, static_cast<int>(ids.size()) + 1).first->second;
  }
  Json all = Json::array();
  for (const auto& [key, id] : ids)
    all.push_back({{"name", "thread_name"},
                   {"ph", "M"},
                   {"ts", 0},
                   {"pid", key.first},
                   {"tid", id},
                   {"args", {{"name", key.second}}}});
  constexpr std::pair<Process, const char*> names[] = {
      {the_case, "case"}, {the_gpu, "virtual GPU"}, {the_kernel, "kernel"}};
  for (const auto& [process, name] : names)
    all.push_back({{"name", "process_name"},
                   {"ph", "M"},
                   {"ts", 0},
                   {"pid", static_cast<int>(process)},
                   {"tid", 0},
                   {"args", {{"name", name}}}});
  std::ranges::move(events, std::back_inserter(all));
  events = std::move(all);
}

}  // namespace

Json trace_json(const PlayedCase& played) {
  Json events = Json::array();
  if (played.played()) {
    add_case(events, played.seen);
    add_model_log(events, played.directory / "guest" / "model.log");
    add_kernel_trace(events, played.directory / "trace", played.seen.at("start_ns"));
  }
  sort_by_time(events);
  number_threads(events);
  return {{"displayTimeUnit", "ms"}, {"traceEvents", std::move(events)}};
}

}  // namespace harness
