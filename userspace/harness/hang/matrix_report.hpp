// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "hang/judgement.hpp"

namespace harness {

/// One cell of the matrix: a kind on a kernel.
struct PlayedCase {
  std::string kind;
  std::string series;               ///< "stock", "hang": the column, as its directory is named
  std::filesystem::path directory;  ///< case.json, trace, model.log; any may be missing
  nlohmann::ordered_json seen;      ///< null: it could not be played, see `why`
  std::string why;
  Judgement judgement;

  [[nodiscard]] bool played() const noexcept { return seen.is_object(); }
  /// It could be played, no process is left in D state, and whoever named a stage named the right one.
  [[nodiscard]] bool passed() const;
};

/// The cases below ROOT/SERIES/KIND/case.json, in the order of the kinds given, each with its series in the
/// order given.
[[nodiscard]] std::vector<PlayedCase> load_matrix(const std::filesystem::path& root,
                                                  const std::vector<std::string>& kinds,
                                                  const std::vector<std::string>& series);

/// The names in the first column of a kinds.list. Throws std::system_error.
[[nodiscard]] std::vector<std::string> kinds_in(const std::filesystem::path& list);

[[nodiscard]] std::string table_text(const std::vector<PlayedCase>& cases);
/// The same for a Markdown page.
[[nodiscard]] std::string table_markdown(const std::vector<PlayedCase>& cases);
[[nodiscard]] std::string ktap_text(const std::vector<PlayedCase>& cases);
[[nodiscard]] nlohmann::ordered_json matrix_json(const std::vector<PlayedCase>& cases);
/// One self-contained page: the table, and a timeline of each case.
[[nodiscard]] std::string html_page(const std::vector<PlayedCase>& cases);
/// Chrome's trace event format, as ui.perfetto.dev loads it: what the case did, the model's event log and the
/// kernel's tracepoints on one clock.
[[nodiscard]] nlohmann::ordered_json trace_json(const PlayedCase& played);

}  // namespace harness
