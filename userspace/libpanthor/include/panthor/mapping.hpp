// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>

namespace panthor {

/// A shared CPU mapping (mmap) of a DRM file. Move-only; unmapped when destroyed.
class Mapping {
 public:
  enum class Protection : uint8_t { read, read_write };

  Mapping() = default;
  /// Maps `bytes` of `fd` at `offset`. Throws std::system_error with the arguments of mmap().
  Mapping(int fd, uint64_t offset, size_t bytes, Protection protection);
  ~Mapping();

  Mapping(Mapping&& other) noexcept
      : address_(std::exchange(other.address_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  Mapping& operator=(Mapping&& other) noexcept {
    std::swap(address_, other.address_);
    std::swap(size_, other.size_);
    return *this;
  }
  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;

  [[nodiscard]] std::span<std::byte> bytes() const noexcept {
    return {static_cast<std::byte*>(address_), size_};
  }

  /// The mapping as an array of T; a tail smaller than T is left out. The GPU may write it at any time: read
  /// through volatile (or after a fence) what it writes.
  template <typename T>
  [[nodiscard]] std::span<T> as() const noexcept {
    static_assert(std::is_trivially_copyable_v<T>);
    return {static_cast<T*>(address_), size_ / sizeof(T)};
  }

 private:
  void* address_ = nullptr;
  size_t size_ = 0;
};

}  // namespace panthor
