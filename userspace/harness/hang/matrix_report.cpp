// SPDX-License-Identifier: MIT
#include "hang/matrix_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <fstream>
#include <iterator>
#include <sstream>
#include <system_error>

namespace harness {
namespace {

using Json = nlohmann::ordered_json;
namespace fs = std::filesystem;

std::string read_text(const fs::path& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), {}};
}

PlayedCase load_case(const fs::path& directory, const std::string& kind, const std::string& series) {
  PlayedCase played{
      .kind = kind, .series = series, .directory = directory, .seen = nullptr, .why = {}, .judgement = {}};
  const std::string text = read_text(directory / "case.json");
  auto seen = Json::parse(text, nullptr, false);
  if (!seen.is_object()) {
    const std::string why = read_text(directory / "error");
    played.why = why.empty() ? "it left nothing" : why.substr(0, why.find('\n'));
    return played;
  }
  played.seen = std::move(seen);
  played.judgement = judge(played.seen);
  return played;
}

std::string seconds(const std::optional<int64_t>& ms) {
  return ms ? fmt::format("{:.1f} s", static_cast<double>(*ms) / 1000) : "-";
}

std::string tool(const std::optional<Notice>& notice) {
  return notice ? fmt::format("{} {}", notice->stage, seconds(notice->ms)) : "-";
}

using Cells = std::array<std::string, 10>;
const Cells head{"kind",    "stage",   "kernel",        "kernel log", "detector",
                 "autopsy", "process", "fresh process", "left in D",  "users' symptom"};

Cells cells_of(const PlayedCase& played) {
  if (!played.played())
    return {played.kind, "-", played.series, "not played: " + played.why, "", "", "", "", "", ""};
  const Judgement& judged = played.judgement;
  std::string process = process_name(judged.process);
  if (judged.ended_ms) process += fmt::format(" {}", seconds(judged.ended_ms));
  return {played.kind,
          played.seen.at("stage").get<std::string>(),
          played.series,
          judged.kernel_log ? seconds(judged.kernel_log->ms) : "-",
          tool(judged.detector),
          tool(judged.autopsy),
          process,
          fresh_name(judged.fresh),
          judged.left_in_d ? "YES" : "no",
          judged.users_symptom ? "exactly" : "no"};
}

std::string totals(const std::vector<PlayedCase>& cases) {
  size_t played = 0, noticed = 0, named = 0, right = 0, symptom = 0, stuck = 0;
  for (const PlayedCase& each : cases) {
    if (!each.played()) continue;
    ++played;
    noticed += each.judgement.noticed_ms().has_value();
    named += each.judgement.stage_right.has_value();
    right += each.judgement.stage_right.value_or(false);
    symptom += each.judgement.users_symptom;
    stuck += each.judgement.left_in_d;
  }
  return fmt::format(
      "{} of {} cases played; {} noticed, stage named in {}, right in {}; {} with exactly the users' "
      "symptom, {} left in D state",
      played, cases.size(), noticed, named, right, symptom, stuck);
}

}  // namespace

bool PlayedCase::passed() const {
  return played() && !judgement.left_in_d && judgement.stage_right.value_or(true);
}

std::vector<std::string> kinds_in(const fs::path& list) {
  std::ifstream in(list);
  if (!in) throw std::system_error(errno, std::generic_category(), list.string());
  std::vector<std::string> kinds;
  for (std::string line; std::getline(in, line);) {
    std::istringstream words(line.substr(0, line.find('#')));
    std::string kind;
    if (words >> kind) kinds.push_back(kind);
  }
  return kinds;
}

std::vector<PlayedCase> load_matrix(const fs::path& root, const std::vector<std::string>& kinds,
                                    const std::vector<std::string>& series) {
  std::vector<PlayedCase> cases;
  for (const std::string& kind : kinds)
    for (const std::string& each : series)
      if (fs::exists(root / each / kind)) cases.push_back(load_case(root / each / kind, kind, each));
  return cases;
}

std::string table_text(const std::vector<PlayedCase>& cases) {
  std::vector<Cells> rows{head};
  for (const PlayedCase& each : cases) rows.push_back(cells_of(each));
  std::array<size_t, std::tuple_size_v<Cells>> width{};
  for (const Cells& row : rows)
    for (size_t i = 0; i < row.size(); ++i)
      if (!row[4].empty()) width[i] = std::max(width[i], row[i].size());
  std::string text;
  for (const Cells& row : rows) {
    std::string line;
    for (size_t i = 0; i < row.size(); ++i) line += fmt::format("{:<{}}  ", row[i], width[i]);
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + '\n';
  }
  return text + totals(cases) + '\n';
}

std::string table_markdown(const std::vector<PlayedCase>& cases) {
  std::string text;
  const auto add = [&](const Cells& row) {
    for (const std::string& cell : row) text += "| " + cell + ' ';
    text += "|\n";
  };
  add(head);
  for (size_t i = 0; i < head.size(); ++i) text += "|---";
  text += "|\n";
  for (const PlayedCase& each : cases) add(cells_of(each));
  return text + '\n' + totals(cases) + ".\n";
}

std::string ktap_text(const std::vector<PlayedCase>& cases) {
  std::string text = fmt::format("KTAP version 1\n1..{}\n", cases.size());
  for (size_t i = 0; i < cases.size(); ++i) {
    const PlayedCase& each = cases[i];
    const Cells cells = cells_of(each);
    for (size_t column = 3; column < cells.size(); ++column)
      if (!cells[column].empty()) text += fmt::format("# {}: {}\n", head[column], cells[column]);
    text += fmt::format("{} {} {}.{}\n", each.passed() ? "ok" : "not ok", i + 1, each.series, each.kind);
  }
  return text;
}

Json matrix_json(const std::vector<PlayedCase>& cases) {
  Json list = Json::array();
  for (const PlayedCase& each : cases) {
    Json entry = {{"kind", each.kind}, {"series", each.series}, {"passed", each.passed()}};
    if (each.played()) {
      const Cells cells = cells_of(each);
      for (size_t column = 3; column < cells.size(); ++column) entry["table"][head[column]] = cells[column];
      entry["seen"] = each.seen;
    } else {
      entry["why"] = each.why;
    }
    list.push_back(std::move(entry));
  }
  return {{"version", 1}, {"cases", std::move(list)}};
}

}  // namespace harness
