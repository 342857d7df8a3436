// SPDX-License-Identifier: MIT
#include "panthor/record.hpp"

#include <algorithm>
#include <array>

namespace panthor {
namespace {

constexpr std::array<std::string_view, 2> free_text_keys = {"comm", "timeline"};

/// Takes the next word off `line`.
std::string_view next_word(std::string_view& line) {
  line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
  const std::string_view word = line.substr(0, line.find(' '));
  line.remove_prefix(word.size());
  return word;
}

}  // namespace

Record Record::parse(std::string_view line) {
  if (const auto end = line.find_first_of("\r\n"); end != std::string_view::npos) line = line.substr(0, end);
  Record record;
  record.name_ = next_word(line);
  for (std::string_view word = next_word(line); !word.empty(); word = next_word(line)) {
    const auto equals = word.find('=');
    if (equals == std::string_view::npos || equals == 0) {
      ++record.malformed_;
      continue;
    }
    const std::string_view key = word.substr(0, equals);
    std::string value(word.substr(equals + 1));
    const bool rest = std::ranges::find(free_text_keys, key) != free_text_keys.end();
    if (rest) value += line;
    if (std::ranges::find(record.fields_, key, &std::pair<std::string, std::string>::first) ==
        record.fields_.end())
      record.fields_.emplace_back(key, std::move(value));
    if (rest) break;
  }
  return record;
}

std::optional<std::string_view> Record::text(std::string_view key) const {
  const auto it = std::ranges::find(fields_, key, &std::pair<std::string, std::string>::first);
  if (it == fields_.end() || it->second == "-") return std::nullopt;
  return it->second;
}

std::string_view Record::text_or(std::string_view key, std::string_view otherwise) const {
  return text(key).value_or(otherwise);
}

std::vector<Record> parse_records(std::string_view text) {
  std::vector<Record> records;
  while (!text.empty()) {
    const auto end = text.find('\n');
    if (Record record = Record::parse(text.substr(0, end)); !record.name().empty())
      records.push_back(std::move(record));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return records;
}

}  // namespace panthor
