// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include "autopsy/report.hpp"

namespace harness::autopsy {
namespace {

constexpr size_t width = 110;
constexpr size_t most_evidence = 9;

/// Adds `text` behind `lead`, broken at blanks, what follows the first line indented.
void add(std::string& out, std::string_view lead, std::string_view text) {
  std::string line(lead);
  const std::string indent(lead.size(), ' ');
  while (!text.empty()) {
    const size_t room = width - indent.size();
    size_t cut = text.size();
    if (cut > room) {
      cut = text.rfind(' ', room);
      if (cut == std::string_view::npos || cut == 0) cut = std::min(text.find(' '), text.size());
    }
    out += fmt::format("{}{}\n", line, text.substr(0, cut));
    text.remove_prefix(std::min(text.size(), cut + 1));
    line = indent;
  }
}

}  // namespace

std::string human_report(const Facts& facts, const Diagnosis& diagnosis) {
  std::string out = diagnosis.headline + '\n';
  const auto stages = diagnosis.stages.list();
  for (size_t i = 0; stages.size() > 1 && i < stages.size(); ++i)
    add(out, "  ? ", fmt::format("{}: {}", stage_name(stages[i]), stage_meaning(stages[i])));
  for (size_t i = 0; i < diagnosis.evidence.size() && i < most_evidence; ++i)
    add(out, "  + ", diagnosis.evidence[i]);
  for (const RuledOut& row : diagnosis.ruled_out)
    add(out, "  - not ", fmt::format("{}: {}", row.stages.text(), row.why));
  if (!diagnosis.next.empty()) out += "next\n";
  for (size_t i = 0; i < diagnosis.next.size(); ++i)
    add(out, fmt::format("  {}. ", i + 1), diagnosis.next[i]);
  std::string seen;
  for (const Source& source : facts.sources)
    if (source.seen) seen += (seen.empty() ? "" : ", ") + source.name;
  if (diagnosis.verdict != Verdict::healthy) {
    add(out, "seen: ", seen);
    for (const Source& source : facts.sources)
      if (!source.seen) add(out, "not seen: ", fmt::format("{}: {}", source.name, source.note));
  }
  return out;
}

}  // namespace harness::autopsy
