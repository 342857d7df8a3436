// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "channel/job.hpp"
#include "common/unique_fd.hpp"

namespace guests::agent {

using common::UniqueFd;

/// The job's kernel modules: opened in the first root, loaded in the second, where the firmware is.
class Modules {
 public:
  /// Throws std::system_error.
  explicit Modules(const std::vector<Job::Module>& modules);
  /// Loads them in order; one that is loaded already is fine. Throws std::system_error naming the module.
  void load() const;

 private:
  struct Opened {
    std::string name, parameters;
    UniqueFd file;
  };
  std::vector<Opened> opened_;
};

}  // namespace guests::agent
