// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "core/memory.hpp"

namespace vgpu::transport {

/// One request taken off a queue: what the device may read, then what it may write.
///
/// The bytes stay in guest memory, which the guest may change at any time: copy, then look.
class Chain {
 public:
  static constexpr size_t max_parts = 8;  ///< of each kind; a longer chain is a protocol error

  [[nodiscard]] uint16_t head() const noexcept { return head_; }
  [[nodiscard]] size_t readable_size() const noexcept { return readable_.size; }
  [[nodiscard]] size_t writable_size() const noexcept { return writable_.size; }
  /// Copies readable bytes from `offset` on; returns how many there were.
  size_t read(size_t offset, std::span<std::byte> into) const noexcept;
  /// Copies into the writable bytes from `offset` on; returns how many fitted.
  size_t write(size_t offset, std::span<const std::byte> from) noexcept;

 private:
  friend class Virtqueue;
  struct Parts {
    std::array<std::span<std::byte>, max_parts> part;
    size_t count = 0;
    size_t size = 0;  ///< bytes of all parts together
    void add(std::span<std::byte> bytes);
  };
  uint16_t head_ = 0;
  Parts readable_, writable_;
};

/// The device side of a split virtqueue (virtio 1.2, 2.7), without indirect descriptors and event indices,
/// which this device does not offer. Everything found in guest memory is checked: a ring that makes no sense
/// throws ProtocolError, and then nothing outside guest RAM was touched.
class Virtqueue {
 public:
  static constexpr uint32_t max_size = 32768;  ///< entries

  /// Entries; a power of two up to max_size, else ProtocolError. Forgets the rings.
  void set_size(uint32_t entries);
  /// The three areas, of the sizes the queue size implies. Throws ProtocolError for wrong sizes or alignment.
  void set_rings(std::span<std::byte> descriptors, std::span<std::byte> available, std::span<std::byte> used);
  void forget_rings() noexcept;
  void set_base(uint16_t next_available) noexcept { next_available_ = next_available; }
  [[nodiscard]] uint16_t base() const noexcept { return next_available_; }
  void enable(bool on) noexcept { enabled_ = on; }

  [[nodiscard]] uint32_t size() const noexcept { return size_; }
  [[nodiscard]] bool ready() const noexcept { return enabled_ && !descriptors_.empty(); }
  /// Bytes of each area for the current size.
  [[nodiscard]] size_t descriptors_bytes() const noexcept { return 16U * size_t{size_}; }
  [[nodiscard]] size_t available_bytes() const noexcept { return 6U + 2U * size_t{size_}; }
  [[nodiscard]] size_t used_bytes() const noexcept { return 6U + 8U * size_t{size_}; }

  /// The next request of a ready queue, nullopt when there is none. `memory` resolves buffer addresses.
  [[nodiscard]] std::optional<Chain> pop(Memory& memory);
  /// Gives a request back with so many bytes written.
  void push(const Chain& chain, size_t written);
  /// Did the driver ask to be told about used buffers?
  [[nodiscard]] bool wants_notification() const noexcept;
  /// Asks the driver not to notify (VRING_USED_F_NO_NOTIFY), or to do so again: then look once more with
  /// pop().
  void suppress_kicks(bool on) noexcept;

 private:
  struct Descriptor {
    uint64_t address;
    uint32_t length;
    uint16_t flags;
    uint16_t next;
  };
  [[nodiscard]] Descriptor descriptor(uint16_t index) const;

  std::span<std::byte> descriptors_, available_, used_;
  uint32_t size_ = 0;
  uint16_t next_available_ = 0;
  uint16_t next_used_ = 0;
  bool enabled_ = false;
};

}  // namespace vgpu::transport
