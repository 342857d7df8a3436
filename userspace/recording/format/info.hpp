// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <string>

#include "format/bytes.hpp"

namespace recording {

/// What a recording says about where it was made, as key and value. Keys in use: driver, driver_version,
/// gpu_id, kernel, machine, recorder, and command only where the user asked for it. No host name, no
/// environment.
using Info = std::map<std::string, std::string>;

/// "key=value" lines. A newline in a value becomes a space.
[[nodiscard]] Bytes encode_info(const Info& info);
/// Lines without "=" are skipped.
[[nodiscard]] Info decode_info(ByteView bytes);

}  // namespace recording
