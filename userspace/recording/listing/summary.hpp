// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <string>
#include <vector>

#include "format/reader.hpp"

namespace recording {

/// What a recording holds, without a device.
struct Summary {
  Info info;
  uint64_t calls = 0;
  uint64_t submits = 0;
  uint64_t files = 0;
  uint64_t threads = 0;
  uint64_t content_bytes = 0;
  uint64_t duration_ns = 0;
  std::map<std::string, uint64_t> calls_by_name;
  std::vector<std::string> failed;      ///< "PANTHOR_VM_BIND: Invalid argument, 3 times"
  std::vector<std::string> unfinished;  ///< calls that did not return before the recording ended
  std::vector<std::string> notes;
  std::string damage;
  bool ended = false;
};

[[nodiscard]] Summary summarize(Reader& reader);

}  // namespace recording
