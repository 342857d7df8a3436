// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>

namespace vgpu {

/// The values behind the register window: plain storage, no semantics.
///
/// The storage may live in memory shared with the guest ("shadow"), so that a guest read of a register that
/// does not change by itself costs a load. Stores are therefore release stores of whole 32-bit words.
class RegisterFile {
 public:
  static constexpr uint32_t window_size = 0x20'0000;  ///< bytes, as on RK3588 (fb000000.gpu)
  static constexpr uint32_t word_count = window_size / 4;

  RegisterFile() : own_(std::make_unique<uint32_t[]>(word_count)), words_(own_.get()) {}

  /// Moves the storage to `shared` (word_count words), carrying every value over.
  void attach(std::span<uint32_t> shared);
  /// Back to private storage, values carried over (the guest memory is about to go away).
  void detach();

  /// While blank, the guest's words are all zero and the values live on in private storage.
  void set_blank(bool on);
  [[nodiscard]] bool blank() const noexcept { return blank_; }

  /// Offsets are in bytes from the window's start and word-aligned.
  [[nodiscard]] uint32_t get(uint32_t offset) const noexcept {
    return std::atomic_ref<uint32_t>(words_[offset / 4]).load(std::memory_order_acquire);
  }
  void set(uint32_t offset, uint32_t value) noexcept {
    std::atomic_ref<uint32_t>(words_[offset / 4]).store(value, std::memory_order_release);
  }
  [[nodiscard]] uint64_t get64(uint32_t offset) const noexcept {
    return get(offset) | static_cast<uint64_t>(get(offset + 4)) << 32;
  }
  void set64(uint32_t offset, uint64_t value) noexcept {
    set(offset, static_cast<uint32_t>(value));
    set(offset + 4, static_cast<uint32_t>(value >> 32));
  }

 private:
  static void copy(const uint32_t* from, uint32_t* to);

  std::unique_ptr<uint32_t[]> own_;
  uint32_t* words_;             ///< where the values are: own_, or the guest's
  uint32_t* shared_ = nullptr;  ///< the guest's, while attached
  bool blank_ = false;
};

}  // namespace vgpu
