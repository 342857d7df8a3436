// SPDX-License-Identifier: MIT
#include "registers/register_file.hpp"

#include <cassert>

namespace vgpu {

void RegisterFile::attach(std::span<uint32_t> shared) {
  assert(shared.size() >= word_count);
  uint32_t* const from = words_;
  for (uint32_t i = 0; i < word_count; ++i)
    std::atomic_ref<uint32_t>(shared[i]).store(from[i], std::memory_order_relaxed);
  std::atomic_thread_fence(std::memory_order_release);
  words_ = shared.data();
}

void RegisterFile::detach() {
  if (words_ == own_.get()) return;
  for (uint32_t i = 0; i < word_count; ++i)
    own_[i] = std::atomic_ref<uint32_t>(words_[i]).load(std::memory_order_acquire);
  words_ = own_.get();
}

}  // namespace vgpu
