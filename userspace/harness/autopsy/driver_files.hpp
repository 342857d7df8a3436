// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "autopsy/source.hpp"
#include "board/board_tree.hpp"
#include "panthor/hang_dump.hpp"

namespace harness::autopsy {

struct DumpLook {
  std::optional<panthor::HangDump> dump;
  Source source;
};

/// The hang dump of the GPU (kernel series "hang"), from debugfs.
[[nodiscard]] DumpLook look_at_hang_dump(const BoardTree& board);
/// The devcoredumps of panthor that wait to be read, newest last. They are left where they are.
[[nodiscard]] std::vector<DumpLook> look_at_coredumps(const BoardTree& board);

/// A stock file of debugfs.
struct DebugFile {
  bool blocked = false;  ///< reading it did not return: the lock it needs is held
  Source source;
};
/// gpuvas (takes each VM's op_lock), gems, dma_buf/bufinfo (takes the reservation of each buffer), sync/info.
[[nodiscard]] std::vector<DebugFile> look_at_debug_files(const BoardTree& board);

/// Why a file below debugfs cannot be read: not mounted, not root, or what `otherwise` says.
[[nodiscard]] std::string debugfs_excuse(const BoardTree& board, const std::string& otherwise);

}  // namespace harness::autopsy
