// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>

namespace harness {

/// Interrupts so far of each of the driver's lines, all CPUs together: "panthor-job" -> 1234.
using InterruptCounts = std::map<std::string, uint64_t>;

/// The lines of /proc/interrupts text whose name starts with "panthor-" (panthor_device.h,
/// panthor_request_*_irq()).
[[nodiscard]] InterruptCounts parse_interrupts(std::string_view text);
/// Of this machine, or of the tree at `root`. Empty when panthor is not bound.
[[nodiscard]] InterruptCounts read_interrupts(const std::filesystem::path& root = "/");
/// "job +3, gpu +0, mmu +0".
[[nodiscard]] std::string describe_change(const InterruptCounts& before, const InterruptCounts& after);

}  // namespace harness
