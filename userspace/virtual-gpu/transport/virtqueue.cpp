// SPDX-License-Identifier: MIT
#include "transport/virtqueue.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstring>

#include "transport/protocol_error.hpp"

namespace vgpu::transport {
namespace {

// virtio 1.2, 2.7: struct virtq_desc.flags, virtq_avail.flags, virtq_used.flags
constexpr uint16_t desc_next = 1, desc_write = 2, desc_indirect = 4;
constexpr uint16_t avail_no_interrupt = 1;
constexpr uint16_t used_no_notify = 1;

constexpr size_t ring_flags = 0, ring_index = 2, ring_entries = 4;

std::atomic_ref<uint16_t> word(std::span<std::byte> ring, size_t offset) {
  return std::atomic_ref<uint16_t>(*reinterpret_cast<uint16_t*>(ring.data() + offset));
}

bool aligned(std::span<std::byte> bytes, size_t to) {
  return reinterpret_cast<uintptr_t>(bytes.data()) % to == 0;
}

/// Calls copy(part, offset in `bytes`, length) for what of [offset, offset + bytes) lies in the parts.
template <class Parts, class Copy>
size_t walk(const Parts& parts, size_t offset, size_t bytes, Copy copy) {
  size_t done = 0;
  for (size_t i = 0; i < parts.count && done < bytes; ++i) {
    std::span<std::byte> part = parts.part[i];
    if (offset >= part.size()) {
      offset -= part.size();
      continue;
    }
    part = part.subspan(offset);
    offset = 0;
    const size_t length = std::min(part.size(), bytes - done);
    copy(part, done, length);
    done += length;
  }
  return done;
}

}  // namespace

void Chain::Parts::add(std::span<std::byte> bytes) {
  if (count == max_parts) throw ProtocolError("queue: a request of too many parts");
  part[count++] = bytes;
  size += bytes.size();
}

size_t Chain::read(size_t offset, std::span<std::byte> into) const noexcept {
  return walk(readable_, offset, into.size(), [&](std::span<std::byte> part, size_t at, size_t length) {
    std::memcpy(into.data() + at, part.data(), length);
  });
}

size_t Chain::write(size_t offset, std::span<const std::byte> from) noexcept {
  return walk(writable_, offset, from.size(), [&](std::span<std::byte> part, size_t at, size_t length) {
    std::memcpy(part.data(), from.data() + at, length);
  });
}

void Virtqueue::set_size(uint32_t entries) {
  if (entries == 0 || entries > max_size || !std::has_single_bit(entries))
    throw ProtocolError(fmt::format("queue of {} entries", entries));
  forget_rings();
  size_ = entries;
}

void Virtqueue::set_rings(std::span<std::byte> descriptors, std::span<std::byte> available,
                          std::span<std::byte> used) {
  if (size_ == 0) throw ProtocolError("queue: rings before the queue has a size");
  if (descriptors.size() != descriptors_bytes() || available.size() != available_bytes() ||
      used.size() != used_bytes())
    throw ProtocolError("queue: rings outside guest memory");
  if (!aligned(descriptors, 16) || !aligned(available, 2) || !aligned(used, 4))
    throw ProtocolError("queue: rings not aligned");
  descriptors_ = descriptors;
  available_ = available;
  used_ = used;
  next_used_ = word(used_, ring_index).load(std::memory_order_relaxed);
}

void Virtqueue::forget_rings() noexcept {
  descriptors_ = available_ = used_ = {};
}

Virtqueue::Descriptor Virtqueue::descriptor(uint16_t index) const {
  if (index >= size_) throw ProtocolError(fmt::format("queue: descriptor {} of {}", index, size_));
  Descriptor d{};
  std::memcpy(&d, descriptors_.data() + 16U * size_t{index}, sizeof d);
  return d;
}

std::optional<Chain> Virtqueue::pop(Memory& memory) {
  const uint16_t available = word(available_, ring_index).load(std::memory_order_acquire);
  if (available == next_available_) return std::nullopt;
  if (static_cast<uint16_t>(available - next_available_) > size_)
    throw ProtocolError("queue: more requests available than the queue has entries");

  Chain chain;
  chain.head_ = word(available_, ring_entries + 2U * size_t{next_available_ & (size_ - 1)})
                    .load(std::memory_order_relaxed);
  ++next_available_;

  uint16_t index = chain.head_;
  for (uint32_t seen = 0;; ++seen) {
    if (seen == size_) throw ProtocolError("queue: descriptors in a loop");
    const Descriptor d = descriptor(index);
    if (d.flags & desc_indirect) throw ProtocolError("queue: indirect descriptor, which was not offered");
    const std::span<std::byte> bytes = memory.span(d.address, d.length);
    if (bytes.empty())
      throw ProtocolError(
          fmt::format("queue: buffer {:#x}+{:#x} is not in guest memory", d.address, d.length));
    if (d.flags & desc_write) {
      chain.writable_.add(bytes);
    } else if (chain.writable_.count) {
      throw ProtocolError("queue: readable part behind a writable one");
    } else {
      chain.readable_.add(bytes);
    }
    if (!(d.flags & desc_next)) return chain;
    index = d.next;
  }
}

void Virtqueue::push(const Chain& chain, size_t written) {
  const std::array<uint32_t, 2> element{chain.head(), static_cast<uint32_t>(written)};
  std::memcpy(used_.data() + ring_entries + 8U * size_t{next_used_ & (size_ - 1)}, element.data(),
              sizeof element);
  ++next_used_;
  word(used_, ring_index).store(next_used_, std::memory_order_release);
}

bool Virtqueue::wants_notification() const noexcept {
  std::atomic_thread_fence(std::memory_order_seq_cst);
  return !(word(available_, ring_flags).load(std::memory_order_relaxed) & avail_no_interrupt);
}

void Virtqueue::suppress_kicks(bool on) noexcept {
  word(used_, ring_flags).store(on ? used_no_notify : 0, std::memory_order_relaxed);
  std::atomic_thread_fence(std::memory_order_seq_cst);
}

}  // namespace vgpu::transport
