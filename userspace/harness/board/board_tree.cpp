// SPDX-License-Identifier: MIT
#include "board/board_tree.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>

namespace harness {

namespace fs = std::filesystem;

fs::path BoardTree::path(const std::string& absolute) const {
  return root / fs::path(absolute).relative_path();
}

std::string BoardTree::text(const std::string& absolute) const {
  std::ifstream in(path(absolute));
  std::string text{std::istreambuf_iterator<char>(in), {}};
  const auto end = text.find_last_not_of(std::string("\n \0", 3));
  text.resize(end == std::string::npos ? 0 : end + 1);
  return text;
}

bool BoardTree::exists(const std::string& absolute) const {
  std::error_code ignored;
  return fs::exists(path(absolute), ignored);
}

std::vector<std::string> BoardTree::list(const std::string& absolute) const {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator it(path(absolute), error), end; !error && it != end; it.increment(error))
    names.push_back(it->path().filename());
  std::ranges::sort(names);
  return names;
}

std::string BoardTree::link_name(const std::string& absolute) const {
  std::error_code error;
  const fs::path target = fs::read_symlink(path(absolute), error);
  return error ? "" : target.filename().string();
}

std::string BoardTree::variable(const std::string& name) const {
  const auto it = environment.find(name);
  return it == environment.end() ? "" : it->second;
}

std::optional<GpuNode> find_gpu_node(const BoardTree& board) {
  for (const std::string& name : board.list("/sys/bus/platform/devices")) {
    GpuNode node{name, board.text("/sys/bus/platform/devices/" + name + "/of_node/compatible"),
                 board.link_name("/sys/bus/platform/devices/" + name + "/driver")};
    std::ranges::replace(node.compatible, '\0', ' ');  // a list of strings in the device tree
    if (node.compatible.find("mali") != std::string::npos || node.driver == "panthor") return node;
  }
  return std::nullopt;
}

}  // namespace harness
