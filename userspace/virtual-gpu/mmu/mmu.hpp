// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

#include "core/event_log.hpp"
#include "core/event_queue.hpp"
#include "core/memory.hpp"
#include "faults/fault_injector.hpp"
#include "mmu/address_space.hpp"
#include "registers/irq_block.hpp"
#include "registers/mmu_port.hpp"
#include "registers/register_file.hpp"

namespace vgpu {

/// AS_FAULTSTATUS.ACCESS_TYPE (panthor_mmu_regs.h).
enum class Access : uint8_t { atomic = 0, execute = 1, read = 2, write = 3 };

/// AS_FAULTSTATUS[31:16]: who made the access. Values are assumed (docs/fidelity.md); only the names matter
/// here.
enum class Master : uint16_t { mcu = 0x0001, command_stream = 0x0100, shader = 0x0200, tiler = 0x0300 };

/// How one access ended.
enum class AccessResult : uint8_t {
  ok,       ///< done
  stalled,  ///< a translation fault is reported, or the region is locked: try again after Mmu::on_resume
            ///< fires
  aborted,  ///< any other fault, or the AS is disabled: the master sees a bus fault
};

/// The GPU's MMU: address spaces, LOCK/UNLOCK/UPDATE/FLUSH commands, the LPAE walk, a TLB that goes stale.
///
/// Commands take `command_ns`; AS_STATUS.AS_ACTIVE is set meanwhile and MMU_INT bit 16+n latches at the end.
/// They act at the end, on the registers as they were at the command:
/// - UPDATE latches TRANSTAB, MEMATTR and TRANSCFG and empties the AS's TLB;
/// - LOCK stalls accesses to the region LOCKADDR names, cached or not, and invalidates nothing. The MCU's own
/// accesses
///   go through: its firmware is emulated above the instruction level and cannot wait in one (assumed
///   harmless: a real MCU is delayed by microseconds);
/// - UNLOCK, FLUSH_PT and FLUSH_MEM drop the region's TLB entries and release the lock; without a lock the
/// region is
///   LOCKADDR's (that a flush releases the lock is assumed; data caches are not modelled, guest RAM is
///   coherent);
/// - UPDATE, UNLOCK and FLUSH_* also let stalled accesses of the AS go on: on_resume.
/// A command written while one is in flight is dropped and counted as unmodelled.
///
/// Faults: a translation fault stalls its access, every other fault aborts it. Both latch FAULTSTATUS and
/// FAULTADDRESS and raise MMU_INT bit n, unless bit n is still latched or a stall of this AS is still
/// pending: then nothing is reported, a stalling access just stalls (assumed). After a resume a still
/// unmapped address faults and is reported anew. In mode UNMAPPED (or the reset value) every access aborts
/// and nothing is reported: this is how panthor_mmu_as_disable kills what hangs on a fault. A physical
/// address below 2^40 that is not RAM aborts and goes to on_bus_fault with GPU_BUS_FAULT (assumed).
class Mmu final : public MmuPort {
 public:
  static constexpr unsigned as_count = 8;
  static constexpr unsigned mcu_as = 0;
  static constexpr uint64_t command_ns = 500;  ///< AS_ACTIVE after a command; assumed

  Mmu(Memory& memory, RegisterFile& registers, IrqBlock& mmu_irq, EventQueue& events, FaultInjector& faults,
      EventLog& log);
  ~Mmu() override;
  Mmu(const Mmu&) = delete;
  Mmu& operator=(const Mmu&) = delete;

  struct Lookup {
    AccessResult result = AccessResult::aborted;
    std::byte* host =
        nullptr;  ///< valid when result is ok, until the next register write, event or memory change
    uint64_t contiguous = 0;  ///< bytes from `host` that share this translation, including the first
    uint8_t fault_code = 0;   ///< DRM_PANTHOR_EXCEPTION_* when result is not ok and a fault exists
  };

  /// Translates one byte. Reports a fault (FAULTSTATUS, FAULTADDRESS, IRQ) unless one is pending for this AS.
  [[nodiscard]] Lookup translate(unsigned as, uint64_t va, Access access, Master master) {
    if (as < as_count) [[likely]] {
      const AddressSpace::Recent& recent = spaces_[as].recent(va);
      if (recent.page == va >> 12 && (recent.allowed >> static_cast<unsigned>(access) & 1) != 0) [[likely]]
        return {AccessResult::ok, recent.host + (va & 0xfff), recent.end - va, 0};
    }
    return translate_slow(as, va, access, master);
  }

  /// Naturally aligned scalar of 1, 2, 4 or 8 bytes; never crosses a page.
  template <class T>
  [[nodiscard]] AccessResult load(unsigned as, uint64_t va, T& value, Master master,
                                  Access access = Access::read) {
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

  /// Called when stalled accesses of `as` may retry: a command unlocked, flushed or updated it, or a reset
  /// came.
  std::function<void(unsigned as)> on_resume;

  /// The AS has been UPDATEd to a translating mode.
  [[nodiscard]] bool enabled(unsigned as) const noexcept;

  /// Guest RAM was mapped, moved or unmapped: host addresses are forgotten, translations stay.
  void memory_changed() noexcept;

  void write_register(uint32_t offset, uint32_t value) override;
  void reset() override;
  [[nodiscard]] bool fault_pending() const override { return (irq_.raw() & 0xffff) != 0; }

 private:
  [[nodiscard]] Lookup translate_slow(unsigned as, uint64_t va, Access access, Master master);
  /// The leaf over `va` from TLB or tables, or the fault that stands for it.
  [[nodiscard]] WalkResult find_leaf(AddressSpace& space, uint64_t va);
  /// Ends an access with `code`; latches and raises unless a fault of this AS is pending.
  [[nodiscard]] Lookup fault(unsigned as, uint64_t va, uint8_t code, Access access, Master master);
  [[nodiscard]] Lookup bus_fault(unsigned as, uint64_t va, uint64_t pa, Access access, Master master);

  void command(unsigned as, uint32_t value);
  void complete(unsigned as, as::Command command, const AsConfig& config, const Region& region);
  void invalidate(unsigned as, const Region& region);
  void check_config(unsigned as, const AsConfig& config);
  void resume(unsigned as);

  std::array<AddressSpace, as_count> spaces_;
  Memory& memory_;
  RegisterFile& registers_;
  IrqBlock& irq_;
  EventQueue& events_;
  FaultInjector& faults_;
  EventLog& log_;
  uint64_t& misses_;
  uint64_t& fault_count_;
  uint64_t& commands_;
};

}  // namespace vgpu
