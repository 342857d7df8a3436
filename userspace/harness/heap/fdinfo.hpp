// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string_view>

#include "panthor/device.hpp"

namespace harness {

/// The size `key` has in an open text of /proc/PID/fdinfo, bytes ("drm-resident-memory:\t10396 KiB"). Nothing
/// when the key is not there (drm-usage-stats.rst).
[[nodiscard]] std::optional<uint64_t> fdinfo_bytes(std::istream& text, std::string_view key);

/// The same of this process's open file of `device`.
[[nodiscard]] std::optional<uint64_t> fdinfo_bytes(const panthor::Device& device, std::string_view key);

}  // namespace harness
