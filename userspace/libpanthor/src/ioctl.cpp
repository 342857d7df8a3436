// SPDX-License-Identifier: MIT
#include "ioctl.hpp"

namespace panthor {

std::system_error call_error(int error, std::string_view name, std::string_view arguments) {
  return {error, std::generic_category(), fmt::format("{}({})", name, arguments)};
}

void require(const DriverVersion& version, const DriverVersion& at_least, const Ioctl& ioctl) {
  if (version < at_least)
    throw call_error(EOPNOTSUPP, ioctl.name,
                     fmt::format("needs panthor {}, this is {}", to_string(at_least), to_string(version)));
}

}  // namespace panthor
