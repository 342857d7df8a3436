// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "panthor/panthor.hpp"

namespace harness {

/// A buffer bound into a VM and mapped on the CPU. Not unbound when destroyed: the VM does that.
class GpuBuffer {
 public:
  /// Creates `bytes` (rounded up to pages) and binds all of it at `va`.
  GpuBuffer(const panthor::Device& device, const panthor::VirtualMemory& vm, uint64_t va, uint64_t bytes,
            panthor::BindFlags flags);

  [[nodiscard]] uint64_t va() const noexcept { return va_; }
  [[nodiscard]] uint64_t size() const noexcept { return bo_.size(); }
  [[nodiscard]] const panthor::BufferObject& bo() const noexcept { return bo_; }

  /// The 32-bit word at byte `offset` as memory holds it now.
  [[nodiscard]] uint32_t read32(uint64_t offset) const;
  [[nodiscard]] uint64_t read64(uint64_t offset) const;
  void write32(uint64_t offset, uint32_t value) const;
  void write64(uint64_t offset, uint64_t value) const;

  [[nodiscard]] std::span<uint64_t> words() const noexcept { return mapping_.as<uint64_t>(); }

 private:
  panthor::BufferObject bo_;
  panthor::Mapping mapping_;
  uint64_t va_;
};

}  // namespace harness
