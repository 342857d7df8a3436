// SPDX-License-Identifier: MIT
// The page of the matrix: no script, no other file.
#include <fmt/format.h>

#include <algorithm>

#include "hang/matrix_report.hpp"
#include "report/markup.hpp"

namespace harness {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view style = R"(<style>
body { font: 14px/1.4 sans-serif; margin: 2em; color: #222 }
table { border-collapse: collapse } td, th { padding: 2px 8px; text-align: left; border-bottom: 1px solid #ddd; vertical-align: top }
td.bad { background: #fdd } td.good { background: #dfd } td.range { background: #ffd } td.users { background: #fe9 }
svg { display: block } pre { font-size: 12px; background: #f6f6f6; padding: 6px; overflow-x: auto; max-width: 70em }
.asleep { fill: #c9d6ea } .stuck { fill: #e8a0a0 } .busy { fill: #f2cf94 } .ended { fill: #b9dfb9 }
.log { stroke: #b00 } .stall { stroke: #06c } .autopsy { stroke: #080 } .core { stroke: #808 } line { stroke-width: 2 }
</style>)";

constexpr double width = 600, height = 22;

const char* bar_class(Judgement::Process process) {
  constexpr const char* classes[] = {"asleep", "stuck", "busy", "ended", "asleep", "asleep"};
  return classes[static_cast<size_t>(process)];
}

std::string mark(double x, std::string_view kind, std::string_view title) {
  return fmt::format(R"(<line class="{}" x1="{:.1f}" x2="{:.1f}" y1="0" y2="{}"><title>{}</title></line>)",
                     kind, x, x, height, markup_escape(title));
}

std::string timeline(const PlayedCase& played) {
  const Json& seen = played.seen;
  const double watched = std::max(seen.at("watch_ms").get<double>(), 1.0);
  const auto x = [&](const Json& ms) { return std::min(ms.get<double>() / watched, 1.0) * width; };
  const double end = seen.at("end").is_null() ? width : x(seen["end"]["ms"]);
  std::string svg =
      fmt::format(R"(<svg width="{}" height="{}" role="img"><rect class="{}" width="{:.1f}" height="{}"/>)",
                  width, height, bar_class(played.judgement.process), std::max(end, 2.0), height);
  for (const Json& line : seen.at("log")) {
    if (line["ms"] > seen["watch_ms"]) break;
    const auto text = line["text"].get<std::string>();
    const bool stall = text.find("stall: ") != std::string::npos;
    svg += mark(x(line["ms"]), stall ? "stall" : "log",
                fmt::format("{} ms: {}", line["ms"].get<int64_t>(), text));
  }
  if (played.judgement.autopsy)
    svg +=
        mark(x(played.judgement.autopsy->ms), "autopsy", "autopsy: " + describe(*played.judgement.autopsy));
  if (!seen.at("coredump_ms").is_null()) svg += mark(x(seen["coredump_ms"]), "core", "devcoredump");
  return svg + "</svg>";
}

std::string details(const PlayedCase& played) {
  const Json& seen = played.seen;
  std::string text = provocation(seen) + '\n';
  for (const Json& line : seen.at("log"))
    text += fmt::format("{:>7} ms  {}\n", line["ms"].get<int64_t>(), line["text"].get<std::string>());
  if (!seen.at("end").is_null())
    text += fmt::format("{:>7} ms  the process ended: {}\n", seen["end"]["ms"].get<int64_t>(),
                        seen["end"]["text"].get<std::string>());
  if (!seen.at("process").is_null() && seen["process"].contains("stack"))
    text += "kernel stack of the process:\n" + seen["process"]["stack"].get<std::string>() + '\n';
  if (!seen["fresh"]["passed"]) text += "fresh process: " + seen["fresh"]["error"].get<std::string>() + '\n';
  return fmt::format("<details><summary>what was seen</summary><pre>{}</pre></details>", markup_escape(text));
}

std::string stage_cell(const std::optional<Notice>& notice, autopsy::StageSet stages) {
  if (!notice) return "<td>-</td>";
  const char* kind = !notice->stages.intersects(stages)       ? "bad"
                     : notice->stages.without(stages).empty() ? "good"
                                                              : "range";
  return fmt::format(R"(<td class="{}">{}</td>)", kind, describe(*notice));
}

std::string row_of(const PlayedCase& played) {
  if (!played.played())
    return fmt::format("<tr><td>{}</td><td></td><td>{}</td><td colspan=7>not played: {}</td></tr>\n",
                       played.kind, played.column(), markup_escape(played.why));
  const Judgement& judged = played.judgement;
  return fmt::format(
      "<tr "
      "class=\"case\"><td>{}</td><td>{}</td><td>{}</td><td>{}{}</td><td>{}</td>{}{}<td{}>{}</td><td>{}</"
      "td><td{}>{}</"
      "td></tr>\n",
      played.kind, played.seen.at("stage").get<std::string>(), played.column(), timeline(played),
      details(played), judged.kernel_log ? seconds(judged.kernel_log->ms) : "-",
      stage_cell(judged.detector, judged.stages), stage_cell(judged.autopsy, judged.stages),
      judged.users_symptom ? R"( class="users")" : "", process_name(judged.process), fresh_name(judged.fresh),
      judged.left_in_d ? R"( class="bad")" : "", judged.left_in_d ? "YES" : "no");
}

}  // namespace

std::string html_page(const Matrix& cases) {
  std::string page = fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>hang "
      "matrix</title>\n{}</head>\n<body>\n"
      "<h1>Hang matrix</h1>\n<p>Each bar is the process from the start of its work to the end of the watch, "
      "in model time: blue, it "
      "sleeps; red, it is stuck in D state; green, it ended well. Lines: red, a message of the kernel; blue, "
      "the stall detector; "
      "green, the autopsy; purple, a devcoredump. Yellow: the users' symptom, asleep at 0 % CPU and not one "
      "message.</p>\n"
      "<table>\n<tr><th>kind<th>stage<th>kernel<th>timeline<th>kernel "
      "log<th>detector<th>autopsy<th>process<th>fresh "
      "process<th>left in D</tr>\n",
      style);
  for (const PlayedCase& each : cases) page += row_of(each);
  return page + "</table>\n</body></html>\n";
}

}  // namespace harness
