// SPDX-License-Identifier: MIT
#include "bench/record.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <system_error>

namespace harness {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* format_name = "panthor-bench";
constexpr int format_version = 1;
constexpr std::uintmax_t max_bytes = 64 << 20;
constexpr size_t max_runs = 10'000, max_rows = 1000, max_samples = 100'000;
constexpr double max_ns = 1e15;  // eleven days for one operation
constexpr uint64_t max_ops = 1u << 30;

/// The texts of a record and their names in the file.
struct Text {
  const char* name;
  std::string BenchRecord::*member;
};
constexpr Text texts[] = {{"clock", &BenchRecord::clock},
                          {"kernel", &BenchRecord::kernel},
                          {"driver", &BenchRecord::driver},
                          {"gpu", &BenchRecord::gpu},
                          {"pairing", &BenchRecord::pairing}};

/// A place in the file, for the message when something there is not right.
struct Place {
  const std::string& file;
  std::string path;

  [[noreturn]] void fail(std::string_view expected) const {
    throw RecordError(fmt::format("{}: {} is not {}", file, path.empty() ? "the file" : path, expected));
  }
  [[nodiscard]] Place in(std::string_view name) const {
    return {file, path.empty() ? std::string(name) : fmt::format("{}.{}", path, name)};
  }
  [[nodiscard]] Place at(size_t index) const { return {file, fmt::format("{}[{}]", path, index)}; }
};

const Json& member(const Json& object, const char* name, const Place& place) {
  if (!object.is_object()) place.fail("an object");
  const auto it = object.find(name);
  if (it == object.end()) place.in(name).fail("there");
  return *it;
}

const Json& array(const Json& object, const char* name, const Place& place, size_t max) {
  const Json& value = member(object, name, place);
  if (!value.is_array() || value.size() > max)
    place.in(name).fail(fmt::format("an array of at most {} elements", max));
  return value;
}

std::string text(const Json& object, const char* name, const Place& place) {
  const Json& value = member(object, name, place);
  if (!value.is_string()) place.in(name).fail("a string");
  auto result = value.get<std::string>();
  // It is printed: a control character must not reach the terminal.
  if (result.size() > 256 || std::ranges::any_of(result, [](unsigned char c) { return c < 32 || c == 127; }))
    place.in(name).fail("a line of at most 256 bytes");
  return result;
}

RowSamples parse_row(const Json& json, const Place& place) {
  RowSamples row;
  row.name = text(json, "name", place);
  if (json.contains("skipped")) {
    row.skipped = text(json, "skipped", place);
    return row;
  }
  const Json& ops = member(json, "ops", place);
  if (!ops.is_number_unsigned() || ops.get<uint64_t>() == 0 || ops.get<uint64_t>() > max_ops)
    place.in("ops").fail("a whole number from 1 to 2^30");
  row.ops = ops.get<unsigned>();
  const Json& samples = array(json, "ns_per_op", place, max_samples);
  if (samples.empty()) place.in("ns_per_op").fail("filled (a row without samples says \"skipped\")");
  for (size_t i = 0; i < samples.size(); ++i) {
    const double ns = samples[i].is_number() ? samples[i].get<double>() : 0;
    if (!std::isfinite(ns) || ns <= 0 || ns > max_ns)
      place.in("ns_per_op").at(i).fail("a number of nanoseconds above 0 and up to 1e15");
    row.ns_per_op.push_back(ns);
  }
  return row;
}

BenchRun parse_run(const Json& json, const Place& place) {
  BenchRun run;
  const Json& rows = array(json, "rows", place, max_rows);
  for (size_t i = 0; i < rows.size(); ++i) {
    const Place row_place = place.in("rows").at(i);
    RowSamples row = parse_row(rows[i], row_place);
    if (run.find(row.name)) row_place.in("name").fail(fmt::format("unique: \"{}\" is there twice", row.name));
    run.rows.push_back(std::move(row));
  }
  return run;
}

}  // namespace

const RowSamples* BenchRun::find(const std::string& name) const noexcept {
  const auto it = std::ranges::find(rows, name, &RowSamples::name);
  return it == rows.end() ? nullptr : &*it;
}

std::vector<std::string> BenchRecord::row_names() const {
  std::vector<std::string> names;
  for (const BenchRun& run : runs)
    for (const RowSamples& row : run.rows)
      if (std::ranges::find(names, row.name) == names.end()) names.push_back(row.name);
  return names;
}

BenchRecord parse_record(const std::string& content, const std::string& where) {
  const Place place{where, ""};
  const Json json = Json::parse(content, nullptr, false);
  if (json.is_discarded()) place.fail("JSON, or it is cut off; panthor-harness bench --json writes it");
  if (!json.is_object() || json.value("format", Json()) != format_name)
    place.fail("a benchmark record (\"format\": \"panthor-bench\"); panthor-harness bench --json writes one");
  if (json.value("version", Json()) != format_version)
    place.in("version").fail(fmt::format("{}, the only one this program reads", format_version));
  BenchRecord record;
  for (const Text& field : texts) record.*field.member = text(json, field.name, place);
  const Json& runs = array(json, "runs", place, max_runs);
  if (runs.empty()) place.in("runs").fail("filled");
  for (size_t i = 0; i < runs.size(); ++i) record.runs.push_back(parse_run(runs[i], place.in("runs").at(i)));
  return record;
}

std::string format_record(const BenchRecord& record) {
  Json json{{"format", format_name}, {"version", format_version}};
  for (const Text& field : texts) json[field.name] = record.*field.member;
  json["runs"] = Json::array();
  for (const BenchRun& run : record.runs) {
    Json rows = Json::array();
    for (const RowSamples& row : run.rows) {
      if (row.skipped.empty())
        rows.push_back({{"name", row.name}, {"ops", row.ops}, {"ns_per_op", row.ns_per_op}});
      else
        rows.push_back({{"name", row.name}, {"skipped", row.skipped}});
    }
    json["runs"].push_back({{"rows", std::move(rows)}});
  }
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

BenchRecord read_record(const std::string& path) {
  std::error_code error;
  const std::uintmax_t bytes = std::filesystem::file_size(path, error);
  if (error) throw RecordError(fmt::format("{}: {}", path, error.message()));
  if (bytes > max_bytes)
    throw RecordError(fmt::format("{}: {} bytes, a record has at most {}", path, bytes, max_bytes));
  std::ifstream file(path, std::ios::binary);
  std::string content(bytes, '\0');
  if (!file.read(content.data(), static_cast<std::streamsize>(bytes)))
    throw RecordError(fmt::format("{}: cannot be read", path));
  return parse_record(content, path);
}

void write_record(const std::string& path, const BenchRecord& record) {
  const std::string partial = fmt::format("{}.{}.partial", path, ::getpid());
  errno = 0;
  if (!(std::ofstream(partial, std::ios::binary) << format_record(record) << std::flush)) {
    const int error = errno ? errno : EIO;
    ::unlink(partial.c_str());
    throw std::system_error(error, std::generic_category(), "writing " + path);
  }
  std::filesystem::rename(partial, path);
}

void append_runs(BenchRecord& record, BenchRecord more, const std::string& where) {
  for (const Text& field : texts)
    if (record.*field.member != more.*field.member)
      throw RecordError(fmt::format("{}: its {} is \"{}\", this run's is \"{}\": take another file", where,
                                    field.name, record.*field.member, more.*field.member));
  std::ranges::move(more.runs, std::back_inserter(record.runs));
}

}  // namespace harness
