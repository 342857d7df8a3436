// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "autopsy/diagnosis.hpp"

namespace harness::autopsy {

/// What to do next, given where it stopped: experiments that part what is left, then what mends or shows
/// more.
[[nodiscard]] std::vector<std::string> next_steps(const Facts& facts, const Diagnosis& diagnosis);

}  // namespace harness::autopsy
