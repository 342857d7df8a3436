// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "autopsy/stage_set.hpp"

namespace harness {

/// Something said where it hung, or only that something is wrong.
struct Notice {
  int64_t ms = 0;            ///< model time since the work began
  autopsy::StageSet stages;  ///< where it stopped, as far as that could be told
  std::string cause;         ///< by the names of docs/hang-dump.md; empty: none was given
  std::string text;
};

/// What a played case (play()) comes to.
struct Judgement {
  enum class Process : uint8_t { asleep, stuck, busy, ended, ended_late, ended_with_error };
  enum class Fresh : uint8_t { computes, computes_without_cause, fails };
  /// How well the stage of a hang was named, by the worst of the tools that named any. (Of a job that fails
  /// at once they name where the GPU failed, which may have been another job.)
  enum class Naming : uint8_t { wrong, among_others, exact };

  autopsy::StageSet stages;  ///< where it is known to stop
  Process process = Process::ended;
  std::optional<int64_t> ended_ms;   ///< of the process, when it ended by itself
  std::optional<Notice> kernel_log;  ///< first line of the driver
  std::optional<Notice> detector;    ///< first line of the stall detector
  std::optional<Notice> autopsy;     ///< when it named a stage
  std::optional<Naming> naming;
  Fresh fresh = Fresh::fails;  ///< could a fresh process compute afterwards?
  bool left_in_d = false;      ///< SIGKILL did not end the process, nor taking the cause out
  bool users_symptom = false;  ///< sleeps to the end at 0 % CPU, and not one line in the kernel log

  /// What is wrong with it, one line; empty: nothing. A kernel with the stall detector has to have every hang
  /// noticed and named exactly, and to end what broken hardware keeps waiting; any kernel must not lead a
  /// tool to a wrong stage, nor leave a process in D state.
  std::string complaint;

  /// It was kept waiting: it did not end at once, with or without an error.
  [[nodiscard]] bool hung() const noexcept;
  [[nodiscard]] std::optional<int64_t> noticed_ms() const;  ///< the earliest of the three
};

[[nodiscard]] Judgement judge(const nlohmann::ordered_json& seen);

[[nodiscard]] const char* process_name(Judgement::Process process) noexcept;
[[nodiscard]] const char* fresh_name(Judgement::Fresh fresh) noexcept;

}  // namespace harness
