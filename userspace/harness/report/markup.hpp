// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>

namespace harness {

/// `text` for HTML or XML: &, <, > and " become entities, everything else stays.
[[nodiscard]] std::string markup_escape(std::string_view text);

}  // namespace harness
