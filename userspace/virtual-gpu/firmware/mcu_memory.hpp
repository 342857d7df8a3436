// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <type_traits>

#include "mmu/mmu.hpp"

namespace vgpu::fw {

/// The microcontroller's loads and stores, all through address space 0. A failing one is fatal for the MCU,
/// as it would be on the real one: `on_fault` is told the address once, loads then give 0 and stores vanish.
class McuMemory {
 public:
  explicit McuMemory(Mmu& mmu) : mmu_(mmu) {}

  template <class T>
  [[nodiscard]] T load(uint64_t va) {
    T value{};
    if (faulted_ || mmu_.load(Mmu::mcu_as, va, value, Master::mcu) == AccessResult::ok)
      return faulted_ ? T{} : value;
    fault(va);
    return {};
  }
  template <class T>
  void store(uint64_t va, T value) {
    if (!faulted_ && mmu_.store(Mmu::mcu_as, va, value, Master::mcu) != AccessResult::ok) fault(va);
  }
  bool read(uint64_t va, std::span<std::byte> out) {
    if (!faulted_ && mmu_.read(Mmu::mcu_as, va, out, Master::mcu) != AccessResult::ok) fault(va);
    return !faulted_;
  }
  bool write(uint64_t va, std::span<const std::byte> in) {
    if (!faulted_ && mmu_.write(Mmu::mcu_as, va, in, Master::mcu) != AccessResult::ok) fault(va);
    return !faulted_;
  }

  [[nodiscard]] bool faulted() const noexcept { return faulted_; }
  void clear_fault() noexcept { faulted_ = false; }

  std::function<void(uint64_t va)> on_fault;

 private:
  void fault(uint64_t va) {
    faulted_ = true;
    if (on_fault) on_fault(va);
  }

  Mmu& mmu_;
  bool faulted_ = false;
};

/// One interface block at a fixed MCU VA, its fields by member pointer: `view.get(&GroupInput::req)`.
template <class Block>
class View {
 public:
  static_assert(std::is_standard_layout_v<Block>);
  View(McuMemory& memory, uint64_t base) : memory_(&memory), base_(base) {}

  template <class Field>
  [[nodiscard]] Field get(Field Block::*field) const {
    return memory_->load<Field>(base_ + offset(field));
  }
  template <class Field>
  void set(Field Block::*field, std::type_identity_t<Field> value) const {
    memory_->store<Field>(base_ + offset(field), value);
  }

 private:
  template <class Field>
  static uint64_t offset(Field Block::*field) {
    static constexpr Block block{};
    return static_cast<uint64_t>(reinterpret_cast<const std::byte*>(&(block.*field)) -
                                 reinterpret_cast<const std::byte*>(&block));
  }

  McuMemory* memory_;
  uint64_t base_;
};

}  // namespace vgpu::fw
