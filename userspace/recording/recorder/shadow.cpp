// SPDX-License-Identifier: MIT
#include "recorder/shadow.hpp"

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <utility>

namespace recording {
namespace {

constexpr uint64_t page = 4096;
constexpr uint64_t word = 8;

/// Appends the differing words of one page, which begins at `offset` of the mapping.
void compare_words(const std::byte* seen, const std::byte* before, uint64_t offset, uint64_t bytes,
                   std::vector<Run>& runs) {
  for (uint64_t at = 0; at < bytes; at += word) {
    const uint64_t count = std::min(word, bytes - at);
    if (std::memcmp(seen + at, before + at, count) == 0) continue;
    if (runs.empty() || runs.back().offset + runs.back().bytes.size() != offset + at)
      runs.push_back({.offset = offset + at, .bytes = {}});
    runs.back().bytes.insert(runs.back().bytes.end(), seen + at, seen + at + count);
  }
}

}  // namespace

Shadow::Shadow(uint64_t bytes) : memory_(nullptr), size_(bytes) {
  void* memory =
      ::mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) throw std::system_error(errno, std::generic_category(), "mmap of a shadow");
  memory_ = static_cast<std::byte*>(memory);
}

Shadow::~Shadow() {
  if (memory_ != nullptr) ::munmap(memory_, size_);
}

Shadow::Shadow(Shadow&& other) noexcept
    : memory_(std::exchange(other.memory_, nullptr)), size_(other.size_) {}

Shadow& Shadow::operator=(Shadow&& other) noexcept {
  std::swap(memory_, other.memory_);
  std::swap(size_, other.size_);
  return *this;
}

std::vector<Run> Shadow::differences(const std::byte* live, bool keep) {
  std::vector<Run> runs;
  std::byte seen[page];
  for (uint64_t at = 0; at < size_; at += page) {
    const uint64_t bytes = std::min(page, size_ - at);
    if (std::memcmp(live + at, memory_ + at, bytes) == 0) continue;
    std::memcpy(seen, live + at, bytes);
    compare_words(seen, memory_ + at, at, bytes, runs);
    if (keep) std::memcpy(memory_ + at, seen, bytes);
  }
  return runs;
}

}  // namespace recording
