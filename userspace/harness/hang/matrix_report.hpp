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
  std::string series;               ///< "stock", "hang": what the kernel has, as its directory is named
  std::filesystem::path directory;  ///< case.json, trace, model.log; empty: from matrix_json() of another run
  nlohmann::ordered_json seen;      ///< null: it could not be played, see `why`
  std::string why;
  Judgement judgement;

  [[nodiscard]] bool played() const noexcept { return seen.is_object(); }
  /// What is wrong: that it was not played, or the judgement's complaint; empty: nothing.
  [[nodiscard]] std::string complaint() const;
  /// "7.2 stock"; of a case that was not played only the series.
  [[nodiscard]] std::string column() const;
};

using Matrix = std::vector<PlayedCase>;

/// The cases below ROOT/SERIES/KIND/case.json, in the order of the kinds given, each with its series in the
/// order given.
[[nodiscard]] Matrix load_matrix(const std::filesystem::path& root, const std::vector<std::string>& kinds,
                                 const std::vector<std::string>& series);
/// What matrix_json() wrote. Throws std::system_error, or std::invalid_argument for a file that is none.
[[nodiscard]] Matrix load_matrix(const std::filesystem::path& json);
/// Both, in the order of the kinds given; of each kind first what is in `first`.
[[nodiscard]] Matrix merge(Matrix first, Matrix second, const std::vector<std::string>& kinds);

/// The names in the first column of a kinds.list. Throws std::system_error.
[[nodiscard]] std::vector<std::string> kinds_in(const std::filesystem::path& list);

/// What was done to provoke it, as kinds.list has it: "fault=doorbell-lost:only=user:count=0 hang=plain".
[[nodiscard]] std::string provocation(const nlohmann::ordered_json& seen);

/// A row a case, its complaints, and the sums.
[[nodiscard]] std::string table_text(const Matrix& cases);
/// A page of docs/: a row a kind, a column a kernel.
[[nodiscard]] std::string markdown_page(const Matrix& cases);
[[nodiscard]] std::string ktap_text(const Matrix& cases);
[[nodiscard]] nlohmann::ordered_json matrix_json(const Matrix& cases);
/// One self-contained page: the table, and a timeline of each case.
[[nodiscard]] std::string html_page(const Matrix& cases);
/// Chrome's trace event format, as ui.perfetto.dev loads it: what the case did, the model's event log and the
/// kernel's tracepoints on one clock, in its order.
[[nodiscard]] nlohmann::ordered_json trace_json(const PlayedCase& played);

/// "S4 no-tick 3.1 s", "S4-S7 4.5 s".
[[nodiscard]] std::string describe(const Notice& notice);
[[nodiscard]] std::string seconds(int64_t ms);

}  // namespace harness
