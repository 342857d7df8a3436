// SPDX-License-Identifier: MIT
#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace panthor {

/// One line "NAME key=value key=value …": a record of the hang dump (docs/hang-dump.md), of the driver's
/// "stall:" line, and of what the tools write themselves.
class Record {
 public:
  /// Never fails: a word without '=' is counted in malformed(), of a key given twice the first counts.
  /// `comm=` and `timeline=` take the rest of the line.
  [[nodiscard]] static Record parse(std::string_view line);

  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  [[nodiscard]] unsigned malformed() const noexcept { return malformed_; }
  [[nodiscard]] const std::vector<std::pair<std::string, std::string>>& fields() const noexcept {
    return fields_;
  }

  /// Value of `key` as written; nullopt when it is missing or "-" (not known).
  [[nodiscard]] std::optional<std::string_view> text(std::string_view key) const;
  /// The same, or `otherwise`.
  [[nodiscard]] std::string_view text_or(std::string_view key, std::string_view otherwise) const;
  /// Decimal or 0x hexadecimal; nullopt also when it is no number or does not fit.
  template <typename T = uint64_t>
  [[nodiscard]] std::optional<T> number(std::string_view key) const {
    const auto value = text(key);
    if (!value) return std::nullopt;
    const bool hex = value->starts_with("0x");
    const char* end = value->data() + value->size();
    T result{};
    const auto [at, error] = std::from_chars(value->data() + (hex ? 2 : 0), end, result, hex ? 16 : 10);
    return error == std::errc() && at == end ? std::optional<T>(result) : std::nullopt;
  }
  /// Whether `key` is there and is neither 0 nor "-".
  [[nodiscard]] bool set(std::string_view key) const { return number(key).value_or(0) != 0; }

 private:
  std::string name_;
  std::vector<std::pair<std::string, std::string>> fields_;
  unsigned malformed_ = 0;
};

/// Every non-empty line of `text`.
[[nodiscard]] std::vector<Record> parse_records(std::string_view text);

}  // namespace panthor
