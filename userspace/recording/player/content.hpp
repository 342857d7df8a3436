// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <bitset>
#include <functional>
#include <map>
#include <string>

#include "format/event.hpp"
#include "player/kernel.hpp"

namespace recording {

inline constexpr uint64_t page_bytes = 4096;

/// The 8-byte words of the mappings that were seen to change while the program waited: the GPU writes them.
class GpuWords {
 public:
  void add(const Content& observed);
  [[nodiscard]] bool contains(uint32_t mapping, uint64_t offset) const;

 private:
  static constexpr uint64_t word_bytes = 8;
  std::map<std::pair<uint32_t, uint64_t>, std::bitset<page_bytes / word_bytes>> pages_;
};

/// One mapping of the replay, and what the recording says it held.
struct PlayedMapping {
  uint32_t number = 0;
  uint32_t file = 0;
  uint32_t handle = 0;  ///< recorded
  std::byte* address = nullptr;
  uint64_t length = 0;
  bool writable = false;
  std::map<uint64_t, std::array<std::byte, page_bytes>> recorded;  ///< page number: last recorded content
};

/// Puts recorded contents back.
///
/// A recorded word may be one that a running job wrote, and the same job may be slower or faster now. So
/// where a job can be running (`busy`) a word the GPU is known to write is given `patience` to arrive by
/// itself, and is left alone when the GPU has already put something else there. Everything else is written.
class ContentPlayer {
 public:
  static constexpr uint64_t patience_ns = 100'000'000;

  ContentPlayer(Kernel& kernel, const GpuWords& gpu_words) : kernel_(kernel), gpu_words_(gpu_words) {}

  void write(PlayedMapping& mapping, const Content& content, bool busy);

  /// Compares with what was observed; calls differs(offset, recorded, replayed) for each word.
  void check(const PlayedMapping& mapping, const Content& content,
             const std::function<void(uint64_t, uint64_t, uint64_t)>& differs) const;

 private:
  void write_word(PlayedMapping& mapping, uint64_t offset, ByteView word, bool busy, uint64_t& wait_until);

  Kernel& kernel_;
  const GpuWords& gpu_words_;
};

}  // namespace recording
