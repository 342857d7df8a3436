// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <string>
#include <vector>

namespace guests {

/// Exit codes of panthor-guest beside the command's own.
struct ExitCode {
  static constexpr int dmesg = 123;     ///< the command succeeded but --fail-on-dmesg matched
  static constexpr int deadline = 124;  ///< --timeout passed
  static constexpr int lab = 125;       ///< the lab itself failed, or the command line is wrong
};

enum class TimeMode { virtual_time, wall };
enum class InputMode { automatic, none, live };

/// The command line of panthor-guest; paths are absolute after parse_options().
struct Options {
  std::string kernel, modules, vgpu_module, rootfs, dtb, vgpu, agent;
  std::string memory = "1G";
  std::string log_directory, result_file, dmesg_pattern, directory = "/root", firmware;
  std::vector<std::string> faults, binds, module_parameters, environment, append, vgpu_arguments;
  std::vector<std::string> command;
  std::chrono::seconds timeout{0};  ///< 0: none
  std::chrono::seconds boot_timeout{120};
  TimeMode time = TimeMode::wall;
  InputMode input = InputMode::automatic;
  int cpus = 1;
  bool no_driver = false;
  bool terminal = false;
  bool log_registers = false;
};

/// Throws UsageError for a command line that cannot work; prints and exits for --help.
class UsageError : public std::exception {
 public:
  explicit UsageError(std::string what) : what_(std::move(what)) {}
  [[nodiscard]] const char* what() const noexcept override { return what_.c_str(); }

 private:
  std::string what_;
};
[[nodiscard]] Options parse_options(int argc, char** argv);

}  // namespace guests
