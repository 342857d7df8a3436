// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <unistd.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "board/checks.hpp"
#include "board/interrupts.hpp"

namespace harness {
namespace {

using Level = Finding::Level;

/// Render nodes driven by panthor, as /dev paths.
std::vector<std::string> render_nodes(const BoardTree& board) {
  std::vector<std::string> nodes;
  for (const std::string& name : board.list("/sys/class/drm"))
    if (name.starts_with("renderD") &&
        board.link_name("/sys/class/drm/" + name + "/device/driver") == "panthor")
      nodes.push_back("/dev/dri/" + name);
  return nodes;
}

Finding render_node(const BoardTree& board) {
  const auto nodes = render_nodes(board);
  if (nodes.empty())
    return {Level::bad, "no render node belongs to panthor", "dmesg | grep -i panthor: did the probe fail?"};
  const std::string& node = nodes.front();
  if (!board.exists(node))
    return {Level::bad, node + " does not exist, though the kernel has it", "udevadm trigger -s drm"};
  if (::access(board.path(node).c_str(), R_OK | W_OK) != 0)
    return {Level::bad, fmt::format("{} may not be opened by this user", node),
            "sudo usermod -aG render $USER, then log in again"};
  return {Level::good, node, ""};
}

Finding job(const BoardTree& board) {
  if (!board.run_job) return {Level::unknown, "no device to run a job on", ""};
  const InterruptCounts before = read_interrupts(board.root);
  const std::string error = board.run_job();
  const std::string moved = describe_change(before, read_interrupts(board.root));
  if (!error.empty())
    return {Level::bad, fmt::format("a small job fails: {} (interrupts: {})", error, moved),
            "panthor-harness ladder"};
  if (moved.find("job +") != std::string::npos && moved.find("job +0") != std::string::npos)
    return {Level::warning, "a small job computes, but no job interrupt came: " + moved,
            "grep panthor /proc/interrupts"};
  return {Level::good,
          fmt::format("a small job computes; interrupts: {}", moved.empty() ? "not readable" : moved), ""};
}

Finding runtime_directory(const BoardTree& board) {
  const std::string dir = board.variable("XDG_RUNTIME_DIR");
  if (dir.empty())
    return {Level::warning, "XDG_RUNTIME_DIR is not set: panvk and compositors need it",
            "export XDG_RUNTIME_DIR=/run/user/$(id -u)"};
  if (!board.exists(dir))
    return {Level::warning, fmt::format("XDG_RUNTIME_DIR={} does not exist", dir),
            "loginctl enable-linger $USER, or mkdir -m 700 -p $XDG_RUNTIME_DIR"};
  return {Level::good, dir, ""};
}

/// The library an ICD manifest names; empty when it is not a manifest.
std::string icd_library(const BoardTree& board, const std::string& manifest) {
  const auto json = nlohmann::json::parse(board.text(manifest), nullptr, false);
  if (json.is_discarded() || !json.is_object()) return "";
  const auto icd = json.find("ICD");
  return icd != json.end() && icd->is_object() ? icd->value("library_path", "") : "";
}

std::vector<std::string> icd_manifests(const BoardTree& board) {
  std::vector<std::string> found;
  std::string given = board.variable("VK_DRIVER_FILES");
  if (given.empty()) given = board.variable("VK_ICD_FILENAMES");
  if (!given.empty()) {
    std::istringstream files(given);
    for (std::string file; std::getline(files, file, ':');) found.push_back(file);
    return found;
  }
  for (const char* dir : {"/etc/vulkan/icd.d", "/usr/local/share/vulkan/icd.d", "/usr/share/vulkan/icd.d"})
    for (const std::string& name : board.list(dir)) found.push_back(fmt::format("{}/{}", dir, name));
  return found;
}

Finding vulkan(const BoardTree& board) {
  for (const std::string& manifest : icd_manifests(board)) {
    if (!board.exists(manifest))
      return {Level::bad, fmt::format("{} (VK_DRIVER_FILES) does not exist", manifest),
              "unset VK_DRIVER_FILES"};
    const std::string library = icd_library(board, manifest);
    if (library.find("panfrost") == std::string::npos) continue;
    if (library.starts_with("/") && !board.exists(library))
      return {Level::bad, fmt::format("{} names {}, which does not exist", manifest, library),
              "apt install --reinstall mesa-vulkan-drivers"};
    return {Level::good, manifest, ""};
  }
  return {Level::warning, "no panvk among the Vulkan drivers",
          "apt install mesa-vulkan-drivers, or pacman -S vulkan-panfrost; unset VK_DRIVER_FILES"};
}

constexpr Check table[] = {
    {"render node", render_node},
    {"job", job},
    {"XDG_RUNTIME_DIR", runtime_directory},
    {"Vulkan driver", vulkan},
};

}  // namespace

std::span<const Check> user_checks() {
  return table;
}

}  // namespace harness
