// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string_view>

namespace harness {

/// A scenario saw something else than it expects; what() says what.
class Failure : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Throws Failure "WHAT is 0x.., expected 0x.." unless they are equal.
void expect_equal(std::string_view what, uint64_t got, uint64_t expected);

/// Throws Failure(`what`) unless `condition` holds.
void expect(bool condition, std::string_view what);

}  // namespace harness
