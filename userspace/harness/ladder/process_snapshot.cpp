// SPDX-License-Identifier: MIT
#include "ladder/process_snapshot.hpp"

#include <fstream>
#include <iterator>

namespace harness {
namespace {

std::string read_text(const std::filesystem::path& path) {
  std::ifstream in(path);
  std::string text{std::istreambuf_iterator<char>(in), {}};
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text;
}

}  // namespace

ProcessSnapshot snapshot_process(pid_t pid, const std::filesystem::path& proc) {
  const auto dir = proc / std::to_string(pid);
  ProcessSnapshot snapshot{.pid = pid,
                           .state = '?',
                           .wchan = read_text(dir / "wchan"),
                           .syscall = read_text(dir / "syscall"),
                           .stack = read_text(dir / "stack")};
  const std::string status = read_text(dir / "status");
  constexpr std::string_view key = "State:\t";
  if (const auto at = status.find(key); at != std::string::npos && at + key.size() < status.size())
    snapshot.state = status[at + key.size()];
  return snapshot;
}

}  // namespace harness
