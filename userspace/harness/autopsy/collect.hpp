// SPDX-License-Identifier: MIT
#pragma once

#include "autopsy/facts.hpp"

namespace harness::autopsy {

/// Looks twice, `options.window` apart, at everything there is. `tracer`, if given, has recorded since before
/// the hang. Changes nothing, unless options.probe. Comes back in bounded time on a hung driver.
[[nodiscard]] Facts collect(const BoardTree& board, const Options& options, const Tracer* tracer = nullptr);

/// Picks the thread to ask about from two looks at the processes: one that stood still between them and has
/// waited for at least `options.after`, in the driver rather than in a fence, the longest wait first.
[[nodiscard]] std::optional<Waiter> pick_waiter(const std::vector<GpuProcess>& before,
                                                const std::vector<GpuProcess>& after, double window_s,
                                                const Options& options);

/// The log's lines that speak of the GPU: the rest of a kernel log is nobody's business.
[[nodiscard]] bool concerns_gpu(const std::string& line);

}  // namespace harness::autopsy
