// SPDX-License-Identifier: MIT
#include "autopsy/driver_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "autopsy/bounded_read.hpp"

namespace harness::autopsy {
namespace {

namespace fs = std::filesystem;

constexpr const char* debugfs = "/sys/kernel/debug";
constexpr std::string_view dump_header = "panthor-hang ";

/// A stock file, below the GPU's directory of debugfs or below debugfs itself.
struct DebugFileRow {
  std::string_view name;
  bool of_gpu;
  std::string_view path;
  std::string_view without;  ///< why it may be missing
};

constexpr DebugFileRow rows[] = {
    {"gpuvas", true, "gpuvas", "this panthor has no such file"},
    {"gems", true, "gems", "this panthor has no such file (since 6.16)"},
    {"dma-buf list", false, "dma_buf/bufinfo", "the kernel has no CONFIG_DMA_SHARED_BUFFER files"},
    {"sw_sync list", false, "sync/info", "the kernel has no CONFIG_SW_SYNC"},
};

/// The GPU's directories in debugfs: by its device's name, or by minor, as the kernel has it.
std::vector<std::string> gpu_directories(const BoardTree& board) {
  const auto node = find_gpu_node(board);
  std::vector<std::string> found;
  for (const std::string& name : board.list(std::string(debugfs) + "/dri")) {
    const std::string dir = fmt::format("{}/dri/{}", debugfs, name);
    if ((node && name == node->name) || board.text(dir + "/name").find("panthor") != std::string::npos)
      found.push_back(dir);
  }
  return found;
}

DumpLook parse(std::string name, const Bounded& read) {
  DumpLook look;
  look.source.name = std::move(name);
  look.source.text = read.text;
  if (!read.good()) {
    look.source.note = read.why_not();
    return look;
  }
  try {
    look.dump = panthor::HangDump::parse(read.text);
    look.source.seen = true;
    look.source.note =
        fmt::format("{} jobs{}", look.dump->jobs().size(), look.dump->complete() ? "" : ", cut");
  } catch (const std::invalid_argument& error) {
    look.source.note = error.what();
  }
  return look;
}

}  // namespace

std::string debugfs_excuse(const BoardTree& board, const std::string& otherwise) {
  std::error_code error;
  fs::directory_iterator it(board.path(debugfs), error);
  if (error == std::errc::permission_denied) return "not root: debugfs may not be read; try sudo";
  if (error || it == fs::directory_iterator())
    return "debugfs is not mounted: mount -t debugfs none /sys/kernel/debug";
  return otherwise;
}

DumpLook look_at_hang_dump(const BoardTree& board) {
  for (const std::string& dir : gpu_directories(board))
    if (board.exists(dir + "/hang")) return parse("hang dump", read_bounded(board.path(dir + "/hang")));
  return {std::nullopt,
          Source::unseen("hang dump",
                         debugfs_excuse(board, "this kernel's panthor does not have the series \"hang\""))};
}

std::vector<DumpLook> look_at_coredumps(const BoardTree& board) {
  std::vector<DumpLook> looks;
  for (const std::string& name : board.list("/sys/class/devcoredump")) {
    const std::string file = fmt::format("/sys/class/devcoredump/{}/data", name);
    if (!name.starts_with("devcd")) continue;
    const Bounded read = read_bounded(board.path(file));
    if (read.error == 0 && !read.text.starts_with(dump_header)) continue;  // of another driver
    looks.push_back(parse(file, read));
  }
  return looks;
}

std::vector<DebugFile> look_at_debug_files(const BoardTree& board) {
  std::vector<DebugFile> files;
  const auto directories = gpu_directories(board);
  for (const DebugFileRow& row : rows) {
    DebugFile file;
    file.source.name = row.name;
    const std::string dir = !row.of_gpu ? debugfs : directories.empty() ? "" : directories.front();
    const std::string path = fmt::format("{}/{}", dir, row.path);
    if (dir.empty() || !board.exists(path)) {
      file.source.note = debugfs_excuse(board, std::string(row.without));
    } else {
      const Bounded read = read_bounded(board.path(path));
      file.blocked = !read.finished;
      file.source.seen = read.good();
      file.source.text = read.text;
      file.source.note = read.good() ? fmt::format("{} bytes", read.text.size()) : read.why_not();
    }
    files.push_back(std::move(file));
  }
  return files;
}

}  // namespace harness::autopsy
