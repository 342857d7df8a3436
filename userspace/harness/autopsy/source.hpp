// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <utility>

namespace harness::autopsy {

/// One place that was looked at.
struct Source {
  std::string name;  ///< "hang dump", "process 201"
  bool seen = false;
  std::string note;  ///< what it is or, unseen, why it could not be seen and what would change that
  std::string text;  ///< as it was read, for the bundle

  [[nodiscard]] static Source unseen(std::string name, std::string why) {
    return {std::move(name), false, std::move(why), ""};
  }
};

}  // namespace harness::autopsy
