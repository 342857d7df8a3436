// SPDX-License-Identifier: MIT
#include "supervisor/kernel_modules.hpp"

#include <algorithm>
#include <fstream>
#include <functional>
#include <iterator>
#include <set>

namespace guests {
namespace {

namespace fs = std::filesystem;

std::string canonical(std::string name) {
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

}  // namespace

KernelModules::KernelModules(const fs::path& directory) {
  for (const fs::directory_entry& entry :
       fs::recursive_directory_iterator(directory, fs::directory_options::skip_permission_denied))
    if (entry.path().extension() == ".ko") add(entry.path());
}

void KernelModules::add(const fs::path& file) {
  files_.insert_or_assign(module_name(file), file);
}

bool KernelModules::contains(const std::string& name) const {
  return files_.contains(canonical(name));
}

std::string KernelModules::module_name(const fs::path& file) {
  return canonical(file.stem().string());
}

std::vector<std::string> KernelModules::dependencies(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(stream), {}};
  constexpr std::string_view tag("\0depends=", 9);
  std::vector<std::string> names;
  const size_t at = bytes.find(tag);
  if (at == std::string::npos) return names;
  const std::string list(bytes.c_str() + at + tag.size());
  for (size_t start = 0; start < list.size();) {
    const size_t end = std::min(list.find(',', start), list.size());
    names.push_back(list.substr(start, end - start));
    start = end + 1;
  }
  return names;
}

std::vector<fs::path> KernelModules::closure(const std::vector<std::string>& names) const {
  std::vector<fs::path> ordered;
  std::set<std::string> visited;
  const std::function<void(const std::string&)> visit = [&](const std::string& raw) {
    const std::string name = canonical(raw);
    const auto file = files_.find(name);
    if (file == files_.end() || !visited.insert(name).second) return;
    for (const std::string& dependency : dependencies(file->second)) visit(dependency);
    ordered.push_back(file->second);
  };
  for (const std::string& name : names) visit(name);
  return ordered;
}

}  // namespace guests
