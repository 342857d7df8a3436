// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "autopsy/source.hpp"
#include "board/board_tree.hpp"

namespace harness::autopsy {

/// A kernel thread that is in the driver or in the GPU scheduler.
struct Worker {
  int pid = 0;
  char state = '?';
  std::string comm;
  std::string function;  ///< the driver's outermost function on its stack, "panthor_device_reset_work"
  std::string stack;
};

struct Workers {
  std::vector<Worker> all;
  Source source;
};

/// Kernel threads with a function of panthor or of the GPU scheduler on their stack (needs CAP_SYS_ADMIN).
[[nodiscard]] Workers look_at_workers(const BoardTree& board);

}  // namespace harness::autopsy
