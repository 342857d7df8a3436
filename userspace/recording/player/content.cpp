// SPDX-License-Identifier: MIT
#include "player/content.hpp"

#include <algorithm>

namespace recording {
namespace {

constexpr uint64_t word_bytes = 8;

/// Calls visit(offset, bytes) for each word of the runs that lies inside the mapping.
template <typename Visit>
void for_each_word(const PlayedMapping& mapping, const Content& content, const Visit& visit) {
  for (const Run& run : content.runs) {
    if (run.offset > mapping.length || run.bytes.size() > mapping.length - run.offset) continue;
    for (uint64_t at = 0; at < run.bytes.size(); at += word_bytes)
      visit(run.offset + at, ByteView(run.bytes).subspan(at, std::min(word_bytes, run.bytes.size() - at)));
  }
}

uint64_t load(const std::byte* from, size_t count) {
  uint64_t value = 0;
  if (count == sizeof(value))
    std::memcpy(&value, from, sizeof(value));  // one access: a job may be writing it
  else
    std::memcpy(&value, from, count);
  return value;
}

/// What the recording last put at `offset`; 0 in pages it never mentioned.
uint64_t recorded_word(const PlayedMapping& mapping, uint64_t offset, size_t count) {
  const auto page = mapping.recorded.find(offset / page_bytes);
  const uint64_t inside = offset % page_bytes;
  if (page == mapping.recorded.end() || inside + count > page_bytes) return 0;
  return load(page->second.data() + inside, count);
}

void remember(PlayedMapping& mapping, uint64_t offset, ByteView word) {
  const uint64_t inside = offset % page_bytes;
  if (inside + word.size() > page_bytes) return;  // only a forged recording has words across pages
  std::ranges::copy(word, mapping.recorded[offset / page_bytes].begin() + static_cast<ptrdiff_t>(inside));
}

}  // namespace

void GpuWords::add(const Content& observed) {
  for (const Run& run : observed.runs)
    for (uint64_t at = 0; at < run.bytes.size(); at += word_bytes) {
      const uint64_t offset = run.offset + at;
      pages_[{observed.mapping, offset / page_bytes}].set(offset % page_bytes / word_bytes);
    }
}

bool GpuWords::contains(uint32_t mapping, uint64_t offset) const {
  const auto page = pages_.find({mapping, offset / page_bytes});
  return page != pages_.end() && page->second.test(offset % page_bytes / word_bytes);
}

void ContentPlayer::write(PlayedMapping& mapping, const Content& content, bool busy) {
  if (!mapping.writable) return;  // the program could not write here either
  uint64_t wait_until = 0;
  for_each_word(mapping, content, [&](uint64_t offset, ByteView word) {
    write_word(mapping, offset, word, busy, wait_until);
    remember(mapping, offset, word);
  });
}

void ContentPlayer::write_word(PlayedMapping& mapping, uint64_t offset, ByteView word, bool busy,
                               uint64_t& wait_until) {
  std::byte* target = mapping.address + offset;
  const uint64_t after = load(word.data(), word.size());
  if (busy && gpu_words_.contains(mapping.number, offset)) {
    constexpr uint64_t look_again_ns = 1'000'000;
    const uint64_t before = recorded_word(mapping, offset, word.size());
    if (wait_until == 0) wait_until = kernel_.now_ns() + patience_ns;  // one patience for the whole event
    while (load(target, word.size()) == before && kernel_.now_ns() < wait_until)
      kernel_.sleep_until(kernel_.now_ns() + look_again_ns);
    if (load(target, word.size()) != before) return;  // the GPU has been here
  }
  if (load(target, word.size()) != after) std::memcpy(target, word.data(), word.size());
}

void ContentPlayer::check(const PlayedMapping& mapping, const Content& content,
                          const std::function<void(uint64_t, uint64_t, uint64_t)>& differs) const {
  for_each_word(mapping, content, [&](uint64_t offset, ByteView word) {
    const uint64_t recorded = load(word.data(), word.size());
    const uint64_t replayed = load(mapping.address + offset, word.size());
    if (recorded != replayed) differs(offset, recorded, replayed);
  });
}

}  // namespace recording
