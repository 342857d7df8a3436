// SPDX-License-Identifier: MIT
#include "hang/matrix_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <fstream>
#include <iterator>
#include <sstream>
#include <stdexcept>
#include <system_error>

namespace harness {
namespace {

using Json = nlohmann::ordered_json;
using Naming = Judgement::Naming;
namespace fs = std::filesystem;

std::string read_text(const fs::path& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), {}};
}

PlayedCase load_case(const fs::path& directory, const std::string& kind, const std::string& series) {
  PlayedCase played{
      .kind = kind, .series = series, .directory = directory, .seen = nullptr, .why = {}, .judgement = {}};
  auto seen = Json::parse(read_text(directory / "case.json"), nullptr, false);
  if (!seen.is_object()) {
    const std::string why = read_text(directory / "error");
    played.why = why.empty() ? "it left nothing" : why.substr(0, why.find('\n'));
    return played;
  }
  played.seen = std::move(seen);
  played.judgement = judge(played.seen);
  return played;
}

std::string tool(const std::optional<Notice>& notice) {
  return notice ? describe(*notice) : "-";
}

using Cells = std::array<std::string, 10>;
const Cells head{"kind",    "stage",   "kernel",        "kernel log", "detector",
                 "autopsy", "process", "fresh process", "left in D",  "users' symptom"};

Cells cells_of(const PlayedCase& played) {
  if (!played.played())
    return {played.kind, "-", played.column(), "not played: " + played.why, "", "", "", "", "", ""};
  const Judgement& judged = played.judgement;
  std::string process = process_name(judged.process);
  if (judged.ended_ms) process += ' ' + seconds(*judged.ended_ms);
  return {played.kind,
          played.seen.at("stage").get<std::string>(),
          played.column(),
          judged.kernel_log ? seconds(judged.kernel_log->ms) : "-",
          tool(judged.detector),
          tool(judged.autopsy),
          process,
          fresh_name(judged.fresh),
          judged.left_in_d ? "YES" : "no",
          judged.users_symptom ? "exactly" : "no"};
}

/// The columns of the matrix, in the order they are met.
std::vector<std::string> columns_of(const Matrix& cases) {
  std::vector<std::string> columns;
  for (const PlayedCase& each : cases)
    if (each.played() && std::ranges::find(columns, each.column()) == columns.end())
      columns.push_back(each.column());
  return columns;
}

struct Totals {
  size_t played = 0, hung = 0, noticed = 0, exact = 0, among = 0, wrong = 0, ended = 0, stuck = 0;
  std::vector<std::string> symptom;  ///< the kinds that are exactly what users report
};

Totals totals_of(const Matrix& cases, const std::string& column) {
  Totals totals;
  for (const PlayedCase& each : cases) {
    if (!each.played() || each.column() != column) continue;
    const Judgement& judged = each.judgement;
    ++totals.played;
    totals.stuck += judged.left_in_d;
    totals.wrong += judged.naming == Naming::wrong;
    if (!judged.hung()) continue;
    ++totals.hung;
    totals.noticed += judged.noticed_ms().has_value();
    totals.exact += judged.naming == Naming::exact;
    totals.among += judged.naming == Naming::among_others;
    totals.ended += judged.ended_ms.has_value();
    if (judged.users_symptom) totals.symptom.push_back(each.kind);
  }
  return totals;
}

std::string sentence(const std::string& column, const Totals& totals) {
  return fmt::format(
      "{}: {} of {} kinds hang; {} noticed, the stage named exactly in {}, as one of several in {}, wrongly "
      "in "
      "{}; {} end by themselves, {} with exactly the users' symptom, {} left in D state",
      column, totals.hung, totals.played, totals.noticed, totals.exact, totals.among, totals.wrong,
      totals.ended, totals.symptom.size(), totals.stuck);
}

std::string joined(const std::vector<std::string>& words, std::string_view between) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : std::string(between)) + word;
  return text;
}

/// A case in a few words, for a cell.
std::string story(const PlayedCase& played) {
  if (!played.played()) return "not played";
  const Judgement& judged = played.judgement;
  std::vector<std::string> parts{process_name(judged.process)};
  if (judged.ended_ms && judged.hung()) parts.back() += ' ' + seconds(*judged.ended_ms);
  if (judged.users_symptom) parts.back() = "**sleeps, silent**";
  if (judged.kernel_log) parts.push_back("log " + seconds(judged.kernel_log->ms));
  if (judged.detector) parts.push_back("detector " + describe(*judged.detector));
  if (judged.autopsy) parts.push_back("autopsy " + describe(*judged.autopsy));
  if (judged.fresh == Judgement::Fresh::fails) parts.emplace_back("the next process fails");
  if (judged.fresh == Judgement::Fresh::computes_without_cause)
    parts.emplace_back("the next computes once the cause is gone");
  if (judged.left_in_d) parts.emplace_back("**left in D**");
  return joined(parts, "; ");
}

constexpr std::string_view page_head = R"(# The hang matrix

Written by `./lab hang-matrix --markdown`; `boot/lab/scenarios/hang-matrix.sh` compares it with what it plays. Do not edit it by hand.

Each kind of `boot/lab/matrix/kinds.list` in a guest of its own, in virtual time: a process submits work, and what stands under "provoked by"
goes wrong. It is watched for 60 s, killed, and a fresh process computes. A cell tells what became of the process (*sleeps* at 0 % CPU, *ended*
as if nothing were wrong, *ended late*, *error*: it was told that its work is lost, *stuck*: in D state), when the driver's first line came into
the kernel log, what the stall detector named (series `hang`), and what `panthor-harness autopsy` named, which looks once,
from 2.5 to 4.5 s, or when the process has ended before.
Times count from the submit. Stages: [architecture.md](architecture.md#where-a-fence-can-stop); causes: [hang-dump.md](hang-dump.md#stages-and-causes).

**Sleeps, silent** is exactly what users report: asleep at 0 % CPU, and not one line in the log.

)";

}  // namespace

std::string seconds(int64_t ms) {
  return fmt::format("{:.1f} s", static_cast<double>(ms) / 1000);
}

std::string describe(const Notice& notice) {
  return fmt::format("{}{}{} {}", notice.stages.text(), notice.cause.empty() ? "" : " ", notice.cause,
                     seconds(notice.ms));
}

std::string PlayedCase::complaint() const {
  return played() ? judgement.complaint : "not played: " + why;
}

std::string PlayedCase::column() const {
  if (!played()) return series;
  const auto release = seen.at("kernel").get<std::string>();
  return fmt::format("{} {}", release.substr(0, release.find('.', release.find('.') + 1)), series);
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

Matrix load_matrix(const fs::path& root, const std::vector<std::string>& kinds,
                   const std::vector<std::string>& series) {
  Matrix cases;
  for (const std::string& kind : kinds)
    for (const std::string& each : series)
      if (fs::exists(root / each / kind)) cases.push_back(load_case(root / each / kind, kind, each));
  return cases;
}

Matrix load_matrix(const fs::path& json) {
  std::ifstream in(json);
  if (!in) throw std::system_error(errno, std::generic_category(), json.string());
  const auto file = Json::parse(in, nullptr, false);
  if (!file.is_object() || !file.contains("cases") || file.value("version", 0) != 1)
    throw std::invalid_argument(json.string() + ": not what ./lab hang-matrix --json writes");
  Matrix cases;
  for (const Json& entry : file["cases"]) {
    PlayedCase played{.kind = entry.at("kind"),
                      .series = entry.at("series"),
                      .directory = {},
                      .seen = entry.value("seen", Json()),
                      .why = entry.value("why", ""),
                      .judgement = {}};
    if (played.played()) played.judgement = judge(played.seen);
    cases.push_back(std::move(played));
  }
  return cases;
}

Matrix merge(Matrix first, Matrix second, const std::vector<std::string>& kinds) {
  std::ranges::move(second, std::back_inserter(first));
  const auto rank = [&](const PlayedCase& each) {
    return std::ranges::find(kinds, each.kind) - kinds.begin();
  };
  std::ranges::stable_sort(first, {}, rank);
  return first;
}

std::string provocation(const Json& seen) {
  std::vector<std::string> words;
  for (const Json& fault : seen.at("faults")) words.push_back("fault=" + fault.get<std::string>());
  if (const auto plant = seen.at("plant").get<std::string>(); !plant.empty())
    words.push_back("plant=" + plant);
  words.push_back("hang=" + seen.at("workload").get<std::string>());
  if (seen.at("asleep")) words.emplace_back("asleep");
  return joined(words, " ");
}

std::string table_text(const Matrix& cases) {
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
  for (const PlayedCase& each : cases)
    if (const auto complaint = each.complaint(); !complaint.empty())
      text += fmt::format("WRONG: {} on {}: {}\n", each.kind, each.column(), complaint);
  for (const std::string& column : columns_of(cases))
    text += sentence(column, totals_of(cases, column)) + '\n';
  return text;
}

std::string markdown_page(const Matrix& cases) {
  const auto columns = columns_of(cases);
  std::string text(page_head);
  for (const std::string& column : columns) {
    const Totals totals = totals_of(cases, column);
    text += fmt::format("- {}.{}{}\n", sentence(column, totals),
                        totals.symptom.empty() ? "" : " These: ", joined(totals.symptom, ", "));
  }
  text += "\n| kind | stage | provoked by |";
  for (const std::string& column : columns) text += fmt::format(" {} |", column);
  text += "\n|---|---|---|";
  for (size_t i = 0; i < columns.size(); ++i) text += "---|";
  for (auto row = cases.begin(); row != cases.end();) {
    const auto end =
        std::find_if(row, cases.end(), [&](const PlayedCase& other) { return other.kind != row->kind; });
    const auto played = std::find_if(row, end, [](const PlayedCase& each) { return each.played(); });
    if (played != end) {
      text += fmt::format("\n| {} | {} | {} |", played->kind, played->seen.at("stage").get<std::string>(),
                          provocation(played->seen));
      for (const std::string& column : columns) {
        const auto cell =
            std::find_if(row, end, [&](const PlayedCase& each) { return each.column() == column; });
        text += fmt::format(" {} |", cell == end ? "-" : story(*cell));
      }
    }
    row = end;
  }
  return text + '\n';
}

std::string ktap_text(const Matrix& cases) {
  std::string text = fmt::format("KTAP version 1\n1..{}\n", cases.size());
  for (size_t i = 0; i < cases.size(); ++i) {
    const PlayedCase& each = cases[i];
    const Cells cells = cells_of(each);
    for (size_t column = 3; column < cells.size(); ++column)
      if (!cells[column].empty()) text += fmt::format("# {}: {}\n", head[column], cells[column]);
    const std::string complaint = each.complaint();
    if (each.played() && !complaint.empty()) text += fmt::format("# wrong: {}\n", complaint);
    text += fmt::format("{} {} {}.{}\n", complaint.empty() ? "ok" : "not ok", i + 1, each.series, each.kind);
  }
  return text;
}

Json matrix_json(const Matrix& cases) {
  Json list = Json::array();
  for (const PlayedCase& each : cases) {
    Json entry = {{"kind", each.kind}, {"series", each.series}, {"complaint", each.complaint()}};
    if (each.played()) {
      const Cells cells = cells_of(each);
      for (size_t column = 2; column < cells.size(); ++column) entry["table"][head[column]] = cells[column];
      entry["seen"] = each.seen;
    } else {
      entry["why"] = each.why;
    }
    list.push_back(std::move(entry));
  }
  return {{"version", 1}, {"cases", std::move(list)}};
}

}  // namespace harness
