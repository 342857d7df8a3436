// SPDX-License-Identifier: MIT
#include "listing/summary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <set>

#include "calls/views.hpp"
#include "player/submit_log.hpp"

namespace recording {
namespace {

std::string name_of(uint32_t request) {
  const CallLayout* layout = find_call(request);
  return layout == nullptr ? fmt::format("ioctl {:#x}", request) : std::string(layout->name);
}

/// Follows the calls of a recording.
class Counter {
 public:
  explicit Counter(Summary& summary) : summary_(summary) {}

  void on(const FileOpened&) { ++summary_.files; }
  void on(const CallBegan& event) {
    ++summary_.calls;
    ++summary_.calls_by_name[name_of(event.request)];
    threads_.insert(event.thread);
    see(event.time_ns);
    open_.insert_or_assign(event.call, event);
  }
  void on(const CallEnded& event) {
    see(event.time_ns);
    const auto begin = open_.find(event.call);
    if (begin == open_.end()) return;
    const CallBegan& call = begin->second;
    if (event.error != 0) ++failures_[{name_of(call.request), event.error}];
    if (event.error == 0) {
      if (auto submit = view_submit(call.request, call.image))
        submits_.add(call.call, call.file, std::move(*submit));
      if (const auto wait = view_wait(call.request, call.image)) submits_.satisfied(call.file, *wait);
    }
    open_.erase(begin);
  }
  void on(const Content& event) {
    for (const Run& run : event.runs) summary_.content_bytes += run.bytes.size();
  }
  void on(const Note& event) { summary_.notes.push_back(event.text); }
  void on(const Ended&) { summary_.ended = true; }
  void on(const auto&) {}

  void finish() {
    summary_.submits = submits_.all().size();
    summary_.threads = threads_.size();
    summary_.duration_ns = last_ns_ - first_ns_;
    for (const auto& [what, count] : failures_)
      summary_.failed.push_back(
          fmt::format("{}: {}, {} times", what.first, std::strerror(what.second), count));
    for (const auto& [number, call] : open_) summary_.unfinished.push_back(describe_open(call));
  }

 private:
  void see(uint64_t time_ns) {
    if (first_ns_ == 0) first_ns_ = time_ns;
    last_ns_ = std::max(last_ns_, time_ns);
  }

  std::string describe_open(const CallBegan& call) const {
    std::string text = fmt::format("call {} {} of thread {}", call.call, name_of(call.request), call.thread);
    const auto wait = view_wait(call.request, call.image);
    const SubmitRecord* submit = wait ? submits_.blocking(call.file, *wait) : nullptr;
    return submit == nullptr ? text : text + ", waiting for " + describe(*submit);
  }

  Summary& summary_;
  SubmitLog submits_;
  std::set<uint32_t> threads_;
  std::map<uint64_t, CallBegan> open_;
  std::map<std::pair<std::string, int>, uint64_t> failures_;
  uint64_t first_ns_ = 0;
  uint64_t last_ns_ = 0;
};

}  // namespace

Summary summarize(Reader& reader) {
  Summary summary;
  summary.info = reader.info();
  Counter counter(summary);
  while (const auto event = reader.next()) std::visit([&](const auto& e) { counter.on(e); }, *event);
  counter.finish();
  summary.damage = reader.damage();
  return summary;
}

}  // namespace recording
