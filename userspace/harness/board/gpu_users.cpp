// SPDX-License-Identifier: MIT
#include "board/gpu_users.hpp"

#include <algorithm>
#include <cctype>

namespace harness {

namespace fs = std::filesystem;

std::optional<std::vector<int>> gpu_users(const BoardTree& board, int self) {
  std::vector<int> users;
  for (const std::string& name : board.list("/proc")) {
    if (!std::ranges::all_of(name, [](unsigned char c) { return std::isdigit(c) != 0; })) continue;
    const int pid = std::stoi(name);
    if (pid == self) continue;
    std::error_code error;
    fs::directory_iterator it(board.path("/proc/" + name + "/fd"), error);
    if (error == std::errc::permission_denied) return std::nullopt;
    if (error) continue;  // it ended meanwhile
    for (const fs::directory_iterator end; !error && it != end; it.increment(error)) {
      std::error_code gone;
      if (fs::read_symlink(it->path(), gone).string().starts_with("/dev/dri/")) {
        users.push_back(pid);
        break;
      }
    }
  }
  return users;
}

}  // namespace harness
