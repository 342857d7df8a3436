// SPDX-License-Identifier: MIT
#pragma once

#include "format/bytes.hpp"

namespace recording {

/// CRC-32 as in zlib, PNG and Ethernet (polynomial 0xedb88320, reflected, inverted).
[[nodiscard]] uint32_t crc32(ByteView bytes) noexcept;

}  // namespace recording
