// SPDX-License-Identifier: MIT
#include "jobs/check.hpp"

#include <fmt/format.h>

namespace harness {

void expect_equal(std::string_view what, uint64_t got, uint64_t expected) {
  if (got != expected) throw Failure(fmt::format("{} is {:#x}, expected {:#x}", what, got, expected));
}

void expect(bool condition, std::string_view what) {
  if (!condition) throw Failure(std::string(what));
}

}  // namespace harness
