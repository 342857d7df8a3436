// SPDX-License-Identifier: MIT
#pragma once

#include <sys/types.h>

#include <nlohmann/json.hpp>

namespace harness {

/// What `panthor-harness autopsy --json` says, of one process or, for 0, of the machine: "verdict", "stages",
/// "confidence", "cause", "headline", or "error". Runs it in a child with a deadline of its own, so that a
/// hung file under it stops nothing here. Null when this build has no autopsy.
[[nodiscard]] nlohmann::ordered_json run_autopsy(pid_t of);

}  // namespace harness
