// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <memory>
#include <system_error>

#include "commands/hang.hpp"
#include "exit_code.hpp"
#include "hang/matrix_report.hpp"

namespace harness {
namespace {

struct Options {
  std::string directory, kinds, with, json, html, markdown;
  std::vector<std::string> series;
  bool ktap = false, traces = false;
};

void write_file(const std::filesystem::path& path, const std::string& text) {
  std::ofstream out(path);
  out << text;
  if (!out.flush()) throw std::system_error(errno, std::generic_category(), path.string());
}

int report(const Options& options) {
  const auto kinds = kinds_in(options.kinds);
  Matrix cases = load_matrix(options.directory, kinds, options.series);
  if (!options.with.empty()) cases = merge(load_matrix(options.with), std::move(cases), kinds);
  if (cases.empty()) throw std::runtime_error(options.directory + ": no case was played");
  if (!options.json.empty()) write_file(options.json, matrix_json(cases).dump(1) + '\n');
  if (!options.html.empty()) write_file(options.html, html_page(cases));
  if (!options.markdown.empty()) write_file(options.markdown, markdown_page(cases));
  if (options.traces)
    for (const PlayedCase& each : cases)
      if (each.played() && !each.directory.empty())
        write_file(each.directory / "trace.json", trace_json(each).dump() + '\n');
  fmt::print("{}", options.ktap ? ktap_text(cases) : table_text(cases));
  return std::ranges::all_of(cases, [](const PlayedCase& each) { return each.complaint().empty(); })
             ? exit_good
             : exit_failed;
}

}  // namespace

void add_hang_report(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("hang-report", "Judge what hang-case left in DIR/SERIES/KIND/");
  command->group("");  // for ./lab hang-matrix; needs no GPU
  command->add_option("directory", options->directory, "DIR")->required()->check(CLI::ExistingDirectory);
  command->add_option("--kinds", options->kinds, "The list of kinds, for their order")
      ->required()
      ->check(CLI::ExistingFile);
  command->add_option("--series", options->series, "The columns, comma-separated")
      ->required()
      ->delimiter(',');
  command->add_flag("--ktap", options->ktap, "KTAP instead of the table");
  command->add_option("--json", options->json, "Write everything here");
  command->add_option("--html", options->html, "Write a page with timelines here");
  command->add_option("--markdown", options->markdown, "Write a page of docs/ here");
  command->add_option("--with", options->with, "Cases of another run, by its --json")
      ->check(CLI::ExistingFile);
  command->add_flag("--traces", options->traces, "Write a trace.json for ui.perfetto.dev beside each case");
  command->callback([options, &exit_code] { exit_code = report(*options); });
}

}  // namespace harness
