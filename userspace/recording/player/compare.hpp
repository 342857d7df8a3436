// SPDX-License-Identifier: MIT
#pragma once

#include "calls/call_image.hpp"

namespace recording {

struct Comparison {
  std::string difference;  ///< empty: the same
  bool timing = false;     ///< only how far the GPU was differs
};

/// Compares what a call gave back then and now: everything but numbers of objects, addresses and times.
[[nodiscard]] Comparison compare_outputs(const CallLayout& layout, const CallImage& recorded,
                                         const CallImage& replayed);

/// The outputs without numbers of objects, addresses, times and how far the GPU was.
[[nodiscard]] CallImage without_volatiles(const CallLayout& layout, CallImage outputs);

}  // namespace recording
