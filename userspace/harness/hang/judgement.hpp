// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

namespace harness {

/// Something said where it hung, or only that something is wrong.
struct Notice {
  int64_t ms = 0;     ///< model time since the work began
  std::string stage;  ///< S0-S8, several joined by "|" when it could not tell them apart; empty: none
  std::string text;
};

/// What a played case (play()) comes to.
struct Judgement {
  enum class Process : uint8_t { asleep, stuck, busy, ended, ended_late, ended_with_error };
  enum class Fresh : uint8_t { computes, computes_without_cause, hangs };

  Process process = Process::ended;
  std::optional<int64_t> ended_ms;   ///< of the process, when it ended by itself
  std::optional<Notice> kernel_log;  ///< first line of the driver
  std::optional<Notice> detector;    ///< first line of the stall detector
  std::optional<Notice> autopsy;     ///< when it named a stage
  Fresh fresh = Fresh::hangs;        ///< could a fresh process compute afterwards?
  bool left_in_d = false;            ///< SIGKILL did not end the process, nor taking the cause out
  bool users_symptom = false;        ///< sleeps to the end at 0 % CPU, and not one line in the kernel log
  std::optional<bool> stage_right;   ///< of every tool that named one; unset: none did
  [[nodiscard]] std::optional<int64_t> noticed_ms() const;  ///< the earliest of the three
};

[[nodiscard]] Judgement judge(const nlohmann::ordered_json& seen);

[[nodiscard]] const char* process_name(Judgement::Process process) noexcept;
[[nodiscard]] const char* fresh_name(Judgement::Fresh fresh) noexcept;

}  // namespace harness
