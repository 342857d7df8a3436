// SPDX-License-Identifier: MIT
#include "registers/register_file.hpp"

#include <algorithm>
#include <cassert>

namespace vgpu {

void RegisterFile::copy(const uint32_t* from, uint32_t* to) {
  for (uint32_t i = 0; i < word_count; ++i) {
    const uint32_t value =
        std::atomic_ref<uint32_t>(const_cast<uint32_t&>(from[i])).load(std::memory_order_acquire);
    std::atomic_ref<uint32_t>(to[i]).store(value, std::memory_order_relaxed);
  }
  std::atomic_thread_fence(std::memory_order_release);
}

void RegisterFile::attach(std::span<uint32_t> shared) {
  assert(shared.size() >= word_count);
  shared_ = shared.data();
  if (blank_) {
    std::fill_n(shared_, word_count, 0);
    return;
  }
  copy(words_, shared_);
  words_ = shared_;
}

void RegisterFile::detach() {
  if (words_ != own_.get()) copy(words_, own_.get());
  words_ = own_.get();
  shared_ = nullptr;
}

void RegisterFile::set_blank(bool on) {
  if (on == blank_) return;
  blank_ = on;
  if (!shared_) return;
  if (on) {
    copy(shared_, own_.get());
    words_ = own_.get();
    std::fill_n(shared_, word_count, 0);
  } else {
    copy(own_.get(), shared_);
    words_ = shared_;
  }
}

}  // namespace vgpu
