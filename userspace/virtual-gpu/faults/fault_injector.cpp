// SPDX-License-Identifier: MIT
#include "faults/fault_injector.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <charconv>
#include <numeric>

namespace vgpu {

namespace {

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
                                         "(panthor-vgpu --list-faults lists all)",
                                         name, best->name)
                           : fmt::format("unknown fault \"{}\": panthor-vgpu --list-faults lists all", name));
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

}  // namespace

FaultSpec FaultSpec::parse(std::string_view text) {
  FaultSpec spec;
  size_t colon = text.find(':');
  spec.name = text.substr(0, colon);
  if (spec.name.empty()) throw FaultSpecError("empty fault name: expected NAME[:after=N][:count=N]");
  if (!find_kind(spec.name)) throw_unknown(spec.name);

  bool seen_after = false, seen_count = false;
  while (colon != std::string_view::npos) {
    text.remove_prefix(colon + 1);
    colon = text.find(':');
    const std::string_view option = text.substr(0, colon);
    const size_t equals = option.find('=');
    const std::string_view key = option.substr(0, equals);
    const bool is_after = key == "after", is_count = key == "count";
    if ((!is_after && !is_count) || equals == std::string_view::npos)
      throw FaultSpecError(fmt::format("fault \"{}\": \"{}\" is not an option: expected after=N or count=N",
                                       spec.name, option));
    bool& seen = is_after ? seen_after : seen_count;
    if (seen) throw FaultSpecError(fmt::format("fault \"{}\": {} is given twice", spec.name, key));
    seen = true;
    (is_after ? spec.after : spec.count) = parse_number(spec.name, key, option.substr(equals + 1));
  }
  return spec;
}

void FaultInjector::arm(FaultSpec spec) {
  if (!find_kind(spec.name)) throw_unknown(spec.name);
  disarm(spec.name);
  log_.event("fault.arm", "name={} after={} count={}", spec.name, spec.after, spec.count);
  armed_.push_back(std::move(spec));
}

void FaultInjector::disarm(std::string_view name) noexcept {
  std::erase_if(armed_, [name](const FaultSpec& spec) { return spec.name == name; });
}

bool FaultInjector::hits(std::string_view name) {
  assert(find_kind(name));
  if (armed_.empty()) return false;
  const auto it = std::ranges::find(armed_, name, &FaultSpec::name);
  if (it == armed_.end()) return false;
  if (it->after > 0) {
    --it->after;
    return false;
  }
  log_.event("fault.hit", "name={}", name);
  ++log_.counter(fmt::format("fault.{}", name));
  if (it->count != 0 && --it->count == 0) armed_.erase(it);
  return true;
}

}  // namespace vgpu
