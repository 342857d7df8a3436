// SPDX-License-Identifier: MIT
#include "heap/fdinfo.hpp"

#include <fstream>
#include <sstream>
#include <string>

namespace harness {

std::optional<uint64_t> fdinfo_bytes(std::istream& text, std::string_view key) {
  for (std::string line; std::getline(text, line);) {
    const size_t colon = line.find(':');
    if (colon == std::string::npos || std::string_view(line).substr(0, colon) != key) continue;
    std::istringstream rest(line.substr(colon + 1));
    uint64_t value = 0;
    std::string unit;
    if (!(rest >> value)) return std::nullopt;
    rest >> unit;
    return unit == "MiB" ? value << 20 : unit == "KiB" ? value << 10 : value;
  }
  return std::nullopt;
}

std::optional<uint64_t> fdinfo_bytes(const panthor::Device& device, std::string_view key) {
  std::ifstream file("/proc/self/fdinfo/" + std::to_string(device.fd()));
  return fdinfo_bytes(file, key);
}

}  // namespace harness
