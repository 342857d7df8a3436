// SPDX-License-Identifier: MIT
#include "faults/fault_injector.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <charconv>
#include <iterator>
#include <numeric>

namespace vgpu {

namespace {

constexpr uint64_t ns_per_ms = 1'000'000;
constexpr uint64_t max_ms = 86'400'000;  // a day

const FaultKind* find_kind(std::string_view name) {
  const auto kinds = fault_catalogue();
  const auto it = std::ranges::find(kinds, name, &FaultKind::name);
  return it == kinds.end() ? nullptr : &*it;
}

/// Levenshtein distance: how many letters to change, add or drop.
size_t distance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t substituted = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, substituted});
    }
  }
  return row[b.size()];
}

[[noreturn]] void throw_unknown(std::string_view name) {
  constexpr size_t near = 5;
  const auto kinds = fault_catalogue();
  const auto best = std::ranges::min_element(
      kinds, {}, [name](const FaultKind& kind) { return distance(name, kind.name); });
  const bool suggest = distance(name, best->name) <= near;
  throw FaultSpecError(suggest
                           ? fmt::format("unknown fault \"{}\": did you mean \"{}\"? "
                                         "(./lab faults lists all)",
                                         name, best->name)
                           : fmt::format("unknown fault \"{}\": ./lab faults lists all", name));
}

uint64_t parse_number(std::string_view name, std::string_view key, std::string_view text) {
  uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc::result_out_of_range)
    throw FaultSpecError(
        fmt::format("fault \"{}\": {}={} is too large: at most {}", name, key, text, UINT64_MAX));
  if (error != std::errc{} || end != text.data() + text.size())
    throw FaultSpecError(fmt::format("fault \"{}\": {}=\"{}\" is not a decimal number", name, key, text));
  return value;
}

/// The words of a row's `only`, in order.
std::vector<std::string_view> words_of(const FaultKind& kind) {
  std::vector<std::string_view> words;
  for (std::string_view rest = kind.only; !rest.empty();) {
    const size_t end = std::min(rest.find(' '), rest.size());
    words.push_back(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return words;
}

bool has_word(const FaultKind& kind, std::string_view word) {
  return std::ranges::count(words_of(kind), word) != 0;
}

/// One option of a spec: its key, whether this row takes it, and what it does with the text.
struct Option {
  std::string_view key;
  bool (*taken_by)(const FaultKind& kind);
  void (*set)(FaultSpec& spec, const FaultKind& kind, std::string_view text);
};

constexpr auto any = [](const FaultKind&) { return true; };

constexpr Option options[] = {
    {"after", any,
     [](FaultSpec& spec, const FaultKind&, std::string_view text) {
       spec.after = parse_number(spec.name, "after", text);
     }},
    {"count", any,
     [](FaultSpec& spec, const FaultKind&, std::string_view text) {
       spec.count = parse_number(spec.name, "count", text);
     }},
    {"only", [](const FaultKind& kind) { return !kind.only.empty(); },
     [](FaultSpec& spec, const FaultKind& kind, std::string_view text) {
       if (!has_word(kind, text))
         throw FaultSpecError(
             fmt::format("fault \"{}\": only=\"{}\" is none of: {}", spec.name, text, kind.only));
       spec.only = text;
     }},
    {"ms", [](const FaultKind& kind) { return kind.ms != 0; },
     [](FaultSpec& spec, const FaultKind&, std::string_view text) {
       spec.ms = parse_number(spec.name, "ms", text);
       if (spec.ms == 0 || spec.ms > max_ms)
         throw FaultSpecError(fmt::format("fault \"{}\": ms={} is not in 1 to {}", spec.name, text, max_ms));
     }},
};

const Option* find_option(const FaultKind& kind, std::string_view key) {
  const auto it = std::ranges::find(options, key, &Option::key);
  return it != std::end(options) && it->taken_by(kind) ? &*it : nullptr;
}

std::string expected_options(const FaultKind& kind) {
  std::string text = "after=N";
  if (kind.ms != 0) text += ", ms=N";
  if (!kind.only.empty()) text += ", only=WORD";
  return text + " or count=N";
}

}  // namespace

FaultSpec FaultSpec::parse(std::string_view text) {
  FaultSpec spec;
  size_t colon = text.find(':');
  spec.name = text.substr(0, colon);
  if (spec.name.empty())
    throw FaultSpecError("empty fault name: expected NAME[:only=WORD][:ms=N][:after=N][:count=N]");
  const FaultKind* const kind = find_kind(spec.name);
  if (!kind) throw_unknown(spec.name);
  spec.ms = kind->ms;

  std::vector<std::string_view> seen;
  while (colon != std::string_view::npos) {
    text.remove_prefix(colon + 1);
    colon = text.find(':');
    const std::string_view word = text.substr(0, colon);
    const size_t equals = word.find('=');
    const std::string_view key = word.substr(0, equals);
    const Option* const option = find_option(*kind, key);
    if (!option || equals == std::string_view::npos)
      throw FaultSpecError(fmt::format("fault \"{}\": \"{}\" is not an option: expected {}", spec.name, word,
                                       expected_options(*kind)));
    if (std::ranges::count(seen, key) != 0)
      throw FaultSpecError(fmt::format("fault \"{}\": {} is given twice", spec.name, key));
    seen.push_back(key);
    option->set(spec, *kind, word.substr(equals + 1));
  }
  return spec;
}

void FaultInjector::arm(FaultSpec spec) {
  if (!find_kind(spec.name)) throw_unknown(spec.name);
  disarm(spec.name);
  log_.event("fault.arm", "name={} after={} count={} only={} ms={}", spec.name, spec.after, spec.count,
             spec.only.empty() ? "-" : spec.only, spec.ms);
  armed_.push_back(std::move(spec));
}

void FaultInjector::disarm(std::string_view name) noexcept {
  std::erase_if(armed_, [name](const FaultSpec& spec) { return spec.name == name; });
}

bool FaultInjector::hits(std::string_view name, std::string_view which) {
  return delays_ns(name, which).has_value();
}

std::optional<uint64_t> FaultInjector::delays_ns(std::string_view name, std::string_view which) {
  assert(find_kind(name));
  assert(which.empty() || has_word(*find_kind(name), which));
  if (armed_.empty()) return std::nullopt;
  const auto it = std::ranges::find(armed_, name, &FaultSpec::name);
  if (it == armed_.end() || (!it->only.empty() && it->only != which)) return std::nullopt;
  if (it->after > 0) {
    --it->after;
    return std::nullopt;
  }
  const uint64_t lasts_ns = it->ms * ns_per_ms;
  log_.event("fault.hit", "name={}{}{}", name, which.empty() ? "" : " which=", which);
  ++log_.counter(fmt::format("fault.{}", name));
  if (it->count != 0 && --it->count == 0) armed_.erase(it);
  return lasts_ns;
}

}  // namespace vgpu
