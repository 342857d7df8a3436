// SPDX-License-Identifier: MIT
#include "format/info.hpp"

#include <algorithm>
#include <sstream>

namespace recording {

Bytes encode_info(const Info& info) {
  std::string text;
  for (const auto& [key, value] : info) {
    std::string line = key + '=' + value;
    std::ranges::replace(line, '\n', ' ');
    text += line + '\n';
  }
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

Info decode_info(ByteView bytes) {
  Info info;
  std::istringstream text(std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
  for (std::string line; std::getline(text, line);)
    if (const size_t equals = line.find('='); equals != std::string::npos)
      info[line.substr(0, equals)] = line.substr(equals + 1);
  return info;
}

}  // namespace recording
