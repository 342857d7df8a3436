// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace harness {

/// One kind of hang, as kinds.list and the command line describe it.
struct HangCase {
  std::string name;
  std::string stage;                ///< S0-S8: where it is known to stop
  std::vector<std::string> faults;  ///< of the virtual GPU, as --fault takes them
  std::string plant;                ///< of the kernel series "plants"; empty: none
  std::string workload = "plain";
  bool asleep = false;  ///< the GPU goes to sleep between the arming and the work
};

/// How it is played.
struct CaseOptions {
  std::string node;
  std::chrono::milliseconds watch{60'000};  ///< from the work's start until it is killed
  std::string trace_file;
};

/// Plays `hang`: starts the work, arms the fault or the plant, watches process, kernel log, detector and
/// autopsy, kills the process, and lets a fresh one compute, first as it is, then with the cause taken out.
/// Everything it saw, for `judge()`. Throws std::system_error when this machine cannot play it (no virtual
/// GPU, no plants).
[[nodiscard]] nlohmann::ordered_json play(const HangCase& hang, const CaseOptions& options);

}  // namespace harness
