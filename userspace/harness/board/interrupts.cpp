// SPDX-License-Identifier: MIT
#include "board/interrupts.hpp"

#include <fmt/format.h>

#include <fstream>
#include <iterator>
#include <sstream>

namespace harness {
namespace {

constexpr std::string_view prefix = "panthor-";

}  // namespace

InterruptCounts parse_interrupts(std::string_view text) {
  InterruptCounts counts;
  std::istringstream lines{std::string(text)};
  for (std::string line; std::getline(lines, line);) {
    const auto name = line.rfind(prefix);
    if (name == std::string::npos) continue;
    std::istringstream words(line);
    std::string word;
    words >> word;  // "45:"
    uint64_t sum = 0;
    while (words >> word && word.find_first_not_of("0123456789") == std::string::npos)
      sum += std::stoull(word);
    counts[line.substr(name, line.find_last_not_of(" \r") + 1 - name)] += sum;
  }
  return counts;
}

InterruptCounts read_interrupts(const std::filesystem::path& root) {
  std::ifstream in(root / "proc/interrupts");
  return parse_interrupts(std::string{std::istreambuf_iterator<char>(in), {}});
}

std::string describe_change(const InterruptCounts& before, const InterruptCounts& after) {
  std::string text;
  for (const auto& [name, count] : after) {
    const auto old = before.find(name);
    text += fmt::format("{}{} +{}", text.empty() ? "" : ", ", std::string_view(name).substr(prefix.size()),
                        count - (old == before.end() ? 0 : old->second));
  }
  return text;
}

}  // namespace harness
