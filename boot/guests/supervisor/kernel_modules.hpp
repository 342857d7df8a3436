// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace guests {

/// The .ko files of one kernel, by module name (dashes as underscores).
class KernelModules {
 public:
  /// Finds every .ko below `directory`. Throws std::filesystem::filesystem_error.
  explicit KernelModules(const std::filesystem::path& directory);
  void add(const std::filesystem::path& file);

  [[nodiscard]] bool contains(const std::string& name) const;
  /// `names` and all they depend on, in loading order. A name without a file is left out: it may be built in.
  [[nodiscard]] std::vector<std::filesystem::path> closure(const std::vector<std::string>& names) const;

  [[nodiscard]] static std::string module_name(const std::filesystem::path& file);
  /// What the module's "depends" tag names. Source: scripts/mod/modpost.c, add_depends().
  [[nodiscard]] static std::vector<std::string> dependencies(const std::filesystem::path& file);

 private:
  std::map<std::string, std::filesystem::path> files_;
};

}  // namespace guests
