// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "panthor/device.hpp"

namespace harness {

/// What people call them, lowest first.
inline constexpr const char* priority_names[panthor::group_priority_count] = {"low", "medium", "high",
                                                                              "realtime"};

/// The group priorities this process may use, lowest first.
[[nodiscard]] inline std::vector<panthor::GroupPriority> allowed_priorities(const panthor::Device& device) {
  const auto info = device.group_priorities_info();
  std::vector<panthor::GroupPriority> allowed;
  for (unsigned i = 0; i < panthor::group_priority_count; ++i)
    if (const auto priority = static_cast<panthor::GroupPriority>(i); info.allows(priority))
      allowed.push_back(priority);
  return allowed;
}

}  // namespace harness
