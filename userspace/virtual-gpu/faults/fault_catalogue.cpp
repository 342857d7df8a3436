// SPDX-License-Identifier: MIT
#include <array>

#include "faults/fault_injector.hpp"

namespace vgpu {

namespace {

// clang-format off
constexpr std::array catalogue = std::to_array<FaultKind>({
    {"as-active-stuck",        "mmu",       "an AS_COMMAND never completes: AS_STATUS.AS_ACTIVE stays set until a reset",                "S1"},
    {"csg-ack-lost",           "firmware",  "the firmware does not acknowledge a CSG request, such as START or SUSPEND",                "S4"},
    {"csg-idle-event-lost",    "firmware",  "a group that ran out of work keeps its slot: CSG_IDLE is not reported",                    "S4"},
    {"doorbell-lost",          "registers", "a write to a doorbell page does not reach the MCU",                                        "S5"},
    {"flush-completion-lost",  "registers", "a cache flush command ends without GPU_IRQ_CLEAN_CACHES_COMPLETED",                        "S5"},
    {"gpu-irq-lost",           "registers", "a GPU_INT event (fault, reset or flush completed) is not latched in GPU_INT_RAWSTAT",      "S3"},
    {"job-irq-lost",           "registers", "an event of the MCU (a CSG's or the global one) is not latched in JOB_INT_RAWSTAT",        "S7"},
    {"job-unmask-lost",        "registers", "a write that unmasks JOB_INT is dropped: RAWSTAT latches, the line stays low",             "S7"},
    {"mcu-boot-lost",          "firmware",  "the MCU is enabled but its firmware never reports that it has booted",                     "S3"},
    {"mcu-fatal-on-boot",      "firmware",  "the firmware dies while it boots: MCU_STATUS shows FATAL",                                 "S3"},
    {"mmu-irq-lost",           "registers", "a page fault is latched in AS_FAULTSTATUS but not in MMU_INT_RAWSTAT; its access stalls",   "S6"},
    {"ping-ack-lost",          "firmware",  "the firmware does not acknowledge a GLB_PING",                                             "S6"},
    {"power-ready-lost",       "registers", "a power-up transition ends with the cores off: no READY, no interrupt",                    "S3"},
    {"reset-completion-lost",  "registers", "a soft reset ends without GPU_IRQ_RESET_COMPLETED",                                        "S3"},
    {"sync-update-lost",       "firmware",  "a SYNC_ADD or SYNC_SET of system scope does not raise the group's SYNC_UPDATE event",      "S7"},
    {"tlb-invalidate-skipped", "mmu",       "UNLOCK or a flush leaves stale entries in the TLB",                                        "S6"},
});
// clang-format on

constexpr bool in_name_order() {
  for (size_t i = 1; i < catalogue.size(); ++i)
    if (!(catalogue[i - 1].name < catalogue[i].name)) return false;
  return true;
}
static_assert(in_name_order());

}  // namespace

std::span<const FaultKind> fault_catalogue() noexcept {
  return catalogue;
}

}  // namespace vgpu
