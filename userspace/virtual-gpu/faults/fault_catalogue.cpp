// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <array>

#include "faults/fault_injector.hpp"

namespace vgpu {

namespace {

// clang-format off
constexpr std::array catalogue = std::to_array<FaultKind>({
    {"as-active-stuck",        "mmu",       "an AS_COMMAND never completes: AS_STATUS.AS_ACTIVE stays set until a reset",                "S1"},
    {"cs-fault-lost",          "firmware",  "a stream meets a CS_FAULT or dies of a CS_FATAL and the firmware reports nothing",          "S6", "fault fatal"},
    {"cs-flush-lost",          "firmware",  "a FLUSH_CACHE2 of a stream never ends: its scoreboard entry stays taken",                   "S6"},
    {"csg-ack-lost",           "firmware",  "the firmware does not see a CSG request, so never acknowledges it",                         "S4", "start resume suspend terminate status-update endpoint-config"},
    {"csg-idle-event-lost",    "firmware",  "a group that ran out of work keeps its slot: CSG_IDLE is not reported",                     "S4"},
    {"csg-idle-status-lost",   "firmware",  "CSG_STATUS_STATE never says that a group is idle, so it looks busy at every tick",          "S4"},
    {"doorbell-lost",          "registers", "a write to a doorbell page does not reach the MCU",                                         "S5", "global user"},
    {"extract-not-written",    "firmware",  "a stream goes on but does not write its EXTRACT back",                                      "S5"},
    {"flush-completion-lost",  "registers", "a cache flush command ends without GPU_IRQ_CLEAN_CACHES_COMPLETED",                         "S5"},
    {"gpu-irq-late",           "registers", "a GPU_INT event (fault, reset or flush completed) is latched late",                         "S3", "", 2000},
    {"gpu-irq-lost",           "registers", "a GPU_INT event (fault, reset or flush completed) is not latched in GPU_INT_RAWSTAT",       "S3"},
    {"gpu-irq-twice",          "registers", "a GPU_INT event is latched again 100 us later, without a cause",                            "S3"},
    {"gpu-line-low",           "registers", "GPU_INT_STAT shows an event, the line to the interrupt controller stays low",               "S3"},
    {"gpu-unmask-lost",        "registers", "a write that unmasks GPU_INT is dropped: RAWSTAT latches, the line stays low",              "S3"},
    {"insert-stale",           "firmware",  "a stream looks at its ring and sees the INSERT of the time before",                         "S5"},
    {"job-irq-late",           "registers", "an event of the MCU is latched late in JOB_INT_RAWSTAT",                                    "S7", "", 2000},
    {"job-irq-lost",           "registers", "an event of the MCU (a CSG's or the global one) is not latched in JOB_INT_RAWSTAT",         "S7"},
    {"job-irq-twice",          "registers", "an event of the MCU is latched again 100 us later, without a cause",                        "S7"},
    {"job-line-low",           "registers", "JOB_INT_STAT shows an event, the line to the interrupt controller stays low",               "S7"},
    {"job-never-ends",         "firmware",  "a RUN_* gets its endpoints and retires no task: an endless shader, or a hung core",         "S6", "compute fragment tiler"},
    {"job-unmask-lost",        "registers", "a write that unmasks JOB_INT is dropped: RAWSTAT latches, the line stays low",              "S7"},
    {"mcu-boot-lost",          "firmware",  "the MCU is enabled but its firmware never reports that it has booted",                      "S3"},
    {"mcu-fatal",              "firmware",  "the firmware dies when a doorbell rings: MCU_STATUS shows FATAL, nothing interrupts",       "S5"},
    {"mcu-fatal-on-boot",      "firmware",  "the firmware dies while it boots: MCU_STATUS shows FATAL",                                  "S3"},
    {"mcu-halt-lost",          "firmware",  "the firmware does not obey GLB_HALT: MCU_STATUS never shows HALT",                          "S3"},
    {"mcu-hung",               "firmware",  "the MCU stops for good when a doorbell rings: no ack, no event, MCU_STATUS stays ENABLED",  "S5"},
    {"mmu-irq-late",           "registers", "a page fault is latched late in MMU_INT_RAWSTAT",                                           "S6", "", 2000},
    {"mmu-irq-lost",           "registers", "a page fault is latched in AS_FAULTSTATUS but not in MMU_INT_RAWSTAT; its access stalls",   "S6"},
    {"mmu-irq-twice",          "registers", "a page fault is latched again 100 us later, without a cause",                               "S6"},
    {"mmu-line-low",           "registers", "MMU_INT_STAT shows a page fault, the line to the interrupt controller stays low",           "S6"},
    {"mmu-unmask-lost",        "registers", "a write that unmasks MMU_INT is dropped: RAWSTAT latches, the line stays low",              "S6"},
    {"ping-ack-lost",          "firmware",  "the firmware does not acknowledge a GLB_PING",                                              "S6"},
    {"power-ready-lost",       "registers", "a power-up transition ends with the cores off: no READY, no interrupt",                     "S3", "shader tiler l2"},
    {"power-up-slow",          "registers", "a power-up transition takes so much longer",                                                "S3", "shader tiler l2", 1500},
    {"registers-read-zero",    "registers", "after the L2 was switched off the GPU has no clock: reads give 0, writes and state are lost", "S3", "", 10000},
    {"reset-completion-lost",  "registers", "a soft reset ends without GPU_IRQ_RESET_COMPLETED",                                         "S3"},
    {"sync-update-lost",       "firmware",  "a SYNC_ADD or SYNC_SET of system scope does not raise the group's SYNC_UPDATE event",       "S7"},
    {"sync-wake-lost",         "firmware",  "a stream blocked in a SYNC_WAIT is not woken when the wait is met",                         "S6"},
    {"sync-write-lost",        "firmware",  "the value a SYNC_ADD or SYNC_SET of system scope writes never gets to memory",              "S7"},
    {"tlb-invalidate-skipped", "mmu",       "UNLOCK or a flush leaves stale entries in the TLB",                                         "S6"},
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

std::string catalogue_line(const FaultKind& kind) {
  std::string line = fmt::format("{:24} {:10} {:3} {}", kind.name, kind.layer, kind.stage, kind.what);
  if (!kind.only.empty()) line += fmt::format(" [only={}]", kind.only);
  if (kind.ms != 0) line += fmt::format(" [ms={}]", kind.ms);
  return line;
}

}  // namespace vgpu
