// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <string>

#include "report/reporter.hpp"

namespace harness {

/// Writes JUnit XML to `path` when the run ends; the suite is the first word of the title. The file is opened
/// at once, so that a path that cannot be written ends the run before it begins (std::system_error).
[[nodiscard]] std::unique_ptr<Reporter> make_junit_reporter(const std::string& path);

/// `text` as an XML attribute value; characters XML does not allow become "?".
[[nodiscard]] std::string xml_escape(std::string_view text);

}  // namespace harness
