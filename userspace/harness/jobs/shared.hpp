// SPDX-License-Identifier: MIT
#pragma once

#include <sys/mman.h>

#include <cerrno>
#include <new>
#include <system_error>
#include <type_traits>
#include <utility>

namespace harness {

/// A T in memory shared with the processes forked while it lives: what one writes, the others see.
template <typename T>
class Shared {
  static_assert(std::is_trivially_destructible_v<T>);

 public:
  Shared() : memory_(::mmap(nullptr, sizeof(T), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0)) {
    if (memory_ == MAP_FAILED)
      throw std::system_error(errno, std::generic_category(), "mmap of shared memory");
    new (memory_) T;
  }
  ~Shared() {
    if (memory_ != nullptr) ::munmap(memory_, sizeof(T));
  }
  Shared(Shared&& other) noexcept : memory_(std::exchange(other.memory_, nullptr)) {}
  Shared& operator=(Shared&& other) noexcept {
    std::swap(memory_, other.memory_);
    return *this;
  }
  Shared(const Shared&) = delete;
  Shared& operator=(const Shared&) = delete;

  [[nodiscard]] T& get() const noexcept { return *static_cast<T*>(memory_); }
  [[nodiscard]] T* operator->() const noexcept { return &get(); }

 private:
  void* memory_;
};

}  // namespace harness
