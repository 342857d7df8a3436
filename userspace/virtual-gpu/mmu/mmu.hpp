// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <span>

#include "core/event_log.hpp"
#include "core/event_queue.hpp"
#include "core/memory.hpp"
#include "faults/fault_injector.hpp"
#include "registers/irq_block.hpp"
#include "registers/register_file.hpp"

namespace vgpu {

/// AS_FAULTSTATUS.ACCESS_TYPE (panthor_mmu_regs.h).
enum class Access : uint8_t { atomic = 0, execute = 1, read = 2, write = 3 };

/// AS_FAULTSTATUS[31:16]: who made the access. Values are assumed (docs/fidelity.md); only the names matter here.
enum class Master : uint16_t { mcu = 0x0001, command_stream = 0x0100, shader = 0x0200, tiler = 0x0300 };

/// How one access ended.
enum class AccessResult : uint8_t {
  ok,       ///< done
  stalled,  ///< a translation fault is reported, or the region is locked: try again after Mmu::on_resume fires
  aborted,  ///< permission/size/attribute fault, or the AS was disabled: the master sees a bus fault
};

/// The GPU's MMU: address spaces, LOCK/UNLOCK/UPDATE/FLUSH commands, the LPAE walk, a TLB that goes stale.
class Mmu {
 public:
  static constexpr unsigned as_count = 8;
  static constexpr unsigned mcu_as = 0;

  Mmu(Memory& memory, RegisterFile& registers, IrqBlock& mmu_irq, EventQueue& events, FaultInjector& faults,
      EventLog& log);
  ~Mmu();
  Mmu(const Mmu&) = delete;
  Mmu& operator=(const Mmu&) = delete;

  struct Lookup {
    AccessResult result = AccessResult::aborted;
    std::byte* host = nullptr;   ///< valid when result is ok
    uint64_t contiguous = 0;     ///< bytes from `host` that share this translation, including the first
    uint8_t fault_code = 0;      ///< DRM_PANTHOR_EXCEPTION_* when result is not ok and a fault exists
  };

  /// Translates one byte. Reports a fault (FAULTSTATUS, FAULTADDRESS, IRQ) unless one is pending for this AS.
  [[nodiscard]] Lookup translate(unsigned as, uint64_t va, Access access, Master master);

  /// Naturally aligned scalar of 1, 2, 4 or 8 bytes; never crosses a page.
  template <class T>
  [[nodiscard]] AccessResult load(unsigned as, uint64_t va, T& value, Master master, Access access = Access::read) {
    const Lookup at = translate(as, va, access, master);
    if (at.result == AccessResult::ok)
      value = std::atomic_ref<T>(*reinterpret_cast<T*>(at.host)).load(std::memory_order_acquire);
    return at.result;
  }
  template <class T>
  [[nodiscard]] AccessResult store(unsigned as, uint64_t va, T value, Master master) {
    const Lookup at = translate(as, va, Access::write, master);
    if (at.result == AccessResult::ok)
      std::atomic_ref<T>(*reinterpret_cast<T*>(at.host)).store(value, std::memory_order_release);
    return at.result;
  }
  /// Any size and alignment; on a fault part of it may be done, `done` says how many bytes.
  [[nodiscard]] AccessResult read(unsigned as, uint64_t va, std::span<std::byte> out, Master master,
                                  size_t* done = nullptr);
  [[nodiscard]] AccessResult write(unsigned as, uint64_t va, std::span<const std::byte> in, Master master,
                                   size_t* done = nullptr);

  /// Called when stalled accesses of `as` may retry: a command unlocked, flushed or updated it, or a reset came.
  std::function<void(unsigned as)> on_resume;

  /// The AS has been UPDATEd to a translating mode.
  [[nodiscard]] bool enabled(unsigned as) const noexcept;

  /// A guest write to an AS register; `offset` in bytes from MMU_AS_BASE (0x2400).
  void write_register(uint32_t offset, uint32_t value);
  void reset();

 private:
  class AddressSpace;
  std::array<std::unique_ptr<AddressSpace>, as_count> spaces_;
  Memory& memory_;
  RegisterFile& registers_;
  IrqBlock& irq_;
  EventQueue& events_;
  FaultInjector& faults_;
  EventLog& log_;
};

}  // namespace vgpu
