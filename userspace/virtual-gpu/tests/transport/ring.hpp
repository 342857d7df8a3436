// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "core/memory.hpp"
#include "transport/virtqueue.hpp"

namespace vgpu::transport::testing {

/// The driver's side of a split queue in heap memory, with no manners: tests write whatever they like.
class Ring {
 public:
  static constexpr uint64_t base = 0x10000, size = 0x10000;
  static constexpr uint64_t descriptors = base, available = base + 0x1000, used = base + 0x2000,
                            buffers = base + 0x4000;
  static constexpr uint16_t entries = 8;

  struct Descriptor {
    uint64_t address;
    uint32_t length;
    uint16_t flags;
    uint16_t next;
  };
  static constexpr uint16_t next = 1, write = 2, indirect = 4;

  Ring() : memory(base, size) {
    queue.set_size(entries);
    queue.set_rings(memory.span(descriptors, queue.descriptors_bytes()),
                    memory.span(available, queue.available_bytes()), memory.span(used, queue.used_bytes()));
    queue.enable(true);
  }

  template <class T>
  void put(uint64_t address, const T& value) {
    std::memcpy(memory.span(address, sizeof value).data(), &value, sizeof value);
  }
  template <class T>
  [[nodiscard]] T get(uint64_t address) {
    T value{};
    std::memcpy(&value, memory.span(address, sizeof value).data(), sizeof value);
    return value;
  }
  void describe(uint16_t index, Descriptor d) { put(descriptors + 16U * index, d); }
  void offer(uint16_t head) {
    put(available + 4 + 2U * (produced % entries), head);
    put(available + 2, ++produced);
  }
  [[nodiscard]] uint16_t used_count() { return get<uint16_t>(used + 2); }

  /// A request in two descriptors at `head`: `out` bytes to read, `in` bytes of room at reply_address(head).
  void request(uint16_t head, std::span<const std::byte> out, uint32_t in) {
    const uint64_t at = buffers + 0x1000U * head;
    std::memcpy(memory.span(at, out.size()).data(), out.data(), out.size());
    describe(head, {at, static_cast<uint32_t>(out.size()), in ? next : uint16_t{0},
                    static_cast<uint16_t>(head + 1)});
    if (in) describe(static_cast<uint16_t>(head + 1), {reply_address(head), in, write, 0});
    offer(head);
  }
  [[nodiscard]] static uint64_t reply_address(uint16_t head) { return buffers + 0x1000U * head + 0x800; }

  HeapMemory memory;
  Virtqueue queue;
  uint16_t produced = 0;
};

}  // namespace vgpu::transport::testing
