// SPDX-License-Identifier: MIT
#include "ioctl.hpp"

namespace panthor {

std::system_error call_error(int error, std::string_view name, std::string_view arguments) {
  return {error, std::generic_category(), fmt::format("{}({})", name, arguments)};
}

}  // namespace panthor
