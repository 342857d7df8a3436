// SPDX-License-Identifier: MIT
#pragma once

#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>

namespace harness {

/// A directory of this test's own, gone with it: tests run side by side, each in its process.
class FileTree {
 public:
  FileTree() {
    std::string name = (std::filesystem::temp_directory_path() / "harness-test-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) throw std::system_error(errno, std::generic_category(), name);
    root_ = name;
  }
  ~FileTree() { std::filesystem::remove_all(root_); }
  FileTree(const FileTree&) = delete;
  FileTree& operator=(const FileTree&) = delete;

  const std::filesystem::path& root() const { return root_; }
  /// `name` below the root, whether it begins with a slash or not.
  std::filesystem::path path(const std::string& name) const {
    return root_ / std::filesystem::path(name).relative_path();
  }

  void file(const std::string& name, const std::string& text = "") const {
    std::ofstream(with_parent(name), std::ios::binary) << text;
  }
  void link(const std::string& name, const std::string& target) const {
    std::filesystem::create_symlink(target, with_parent(name));
  }

 private:
  std::filesystem::path with_parent(const std::string& name) const {
    std::filesystem::create_directories(path(name).parent_path());
    return path(name);
  }

  std::filesystem::path root_;
};

}  // namespace harness
