// SPDX-License-Identifier: MIT
#include "panthor/hang_dump.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

namespace panthor {
namespace {

constexpr std::string_view header = "panthor-hang";

/// Whether both records have the same number in `key`.
bool same(const Record& one, const Record& other, std::string_view key) {
  const auto value = one.number(key);
  return value && value == other.number(key);
}

}  // namespace

HangDump HangDump::parse(std::string_view text) {
  HangDump dump;
  dump.records_ = parse_records(text);
  if (dump.records_.empty()) throw std::invalid_argument("not a hang dump: it is empty");
  const Record& first = dump.records_.front();
  if (first.name() != header)
    throw std::invalid_argument(
        fmt::format("not a hang dump: its first word is \"{:.40}\", not \"{}\"", first.name(), header));
  const auto found = first.number("version");
  if (!found || *found == 0 || *found > version)
    throw std::invalid_argument(
        fmt::format("not a hang dump this program can read: version {:.20}, it knows {}",
                    first.text_or("version", "?"), version));
  const Record& last = dump.records_.back();
  dump.complete_ = last.name() == "end" && last.number("truncated") == 0u;
  return dump;
}

const Record* HangDump::first(std::string_view name) const {
  const auto it = std::ranges::find(records_, name, &Record::name);
  return it == records_.end() ? nullptr : &*it;
}

std::vector<const Record*> HangDump::all(std::string_view name) const {
  std::vector<const Record*> found;
  for (const Record& record : records_)
    if (record.name() == name) found.push_back(&record);
  return found;
}

const Record* HangDump::find(std::string_view name, std::string_view key, uint64_t value) const {
  const auto it = std::ranges::find_if(
      records_, [&](const Record& record) { return record.name() == name && record.number(key) == value; });
  return it == records_.end() ? nullptr : &*it;
}

std::vector<HangDump::Job> HangDump::jobs() const {
  std::vector<Job> jobs;
  const Record* group = nullptr;
  const Record* queue = nullptr;
  for (const Record& record : records_) {
    if (record.name() == "group") {
      group = &record;
      queue = nullptr;
    } else if (record.name() == "queue") {
      queue = &record;
    } else if (record.name() == "job") {
      Job job{.job = &record, .queue = nullptr, .group = nullptr, .vm = nullptr, .in_fences = {}};
      if (queue && same(record, *queue, "group") && record.number("queue") == queue->number("id"))
        job.queue = queue;
      if (group && record.number("group") == group->number("id")) job.group = group;
      if (const auto vm = job.group ? job.group->number("vm") : std::nullopt) job.vm = find("vm", "id", *vm);
      jobs.push_back(std::move(job));
    } else if (record.name() == "in-fence" && !jobs.empty() && same(record, *jobs.back().job, "job")) {
      jobs.back().in_fences.push_back(&record);
    }
  }
  return jobs;
}

}  // namespace panthor
