// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace harness {

/// A machine as far as `doctor` looks at it: its files below `root`, and what only a live machine has.
struct BoardTree {
  std::filesystem::path root = "/";
  std::map<std::string, std::string> environment;
  std::optional<uint32_t> gpu_id;       ///< GPU_ID, when a device answered
  std::vector<std::string> kernel_log;  ///< since boot
  bool kernel_log_readable = false;
  std::function<std::string()> run_job;  ///< runs a small job; empty text: it computed. Unset: no device

  [[nodiscard]] std::filesystem::path path(const std::string& absolute) const;
  /// Trimmed text of a small file; empty when it is not there or may not be read.
  [[nodiscard]] std::string text(const std::string& absolute) const;
  [[nodiscard]] bool exists(const std::string& absolute) const;
  /// Entries of a directory by name; empty when it is not there or may not be read.
  [[nodiscard]] std::vector<std::string> list(const std::string& absolute) const;
  /// Last component of what a symbolic link points to; empty when it is none.
  [[nodiscard]] std::string link_name(const std::string& absolute) const;
  [[nodiscard]] std::string variable(const std::string& name) const;
};

/// The Mali of the device tree, as a platform device.
struct GpuNode {
  std::string name;        ///< "fb000000.gpu"
  std::string compatible;  ///< "rockchip,rk3588-mali arm,mali-valhall-csf"
  std::string driver;      ///< "panthor", "mali", "panfrost"; empty: none bound
  [[nodiscard]] std::string sysfs() const { return "/sys/bus/platform/devices/" + name; }
};
[[nodiscard]] std::optional<GpuNode> find_gpu_node(const BoardTree& board);

}  // namespace harness
