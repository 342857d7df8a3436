// SPDX-License-Identifier: MIT
#include "panthor/driver_version.hpp"

#include <fmt/format.h>

namespace panthor {

std::string to_string(const DriverVersion& version) {
  return fmt::format("{}.{}.{}", version.major, version.minor, version.patch);
}

}  // namespace panthor
