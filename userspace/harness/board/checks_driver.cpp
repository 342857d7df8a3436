// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <cstdio>
#include <memory>

#include "board/checks.hpp"

namespace harness {
namespace {

using Level = Finding::Level;

/// What to do about the driver that is bound instead of panthor.
struct OtherDriver {
  std::string_view name;
  std::string_view what;
  std::string_view fix;
};

constexpr OtherDriver other_drivers[] = {
    {"mali", "the vendor's driver (the \"mali blob\") is bound",
     "boot a mainline kernel once: grub-reboot 'TITLE OF ITS ENTRY' && reboot"},
    {"panfrost", "panfrost is bound, which cannot drive a GPU with a command-stream front end",
     "echo blacklist panfrost >/etc/modprobe.d/panfrost.conf; reboot"},
    {"", "no driver is bound", "modprobe panthor; dmesg | grep -i panthor"},
};

Finding driver(const BoardTree& board) {
  const auto node = find_gpu_node(board);
  if (!node)
    return {Level::bad, "no Mali among the platform devices",
            "ls /proc/device-tree | grep gpu: the device tree must have the node with status \"okay\""};
  if (node->driver == "panthor") return {Level::good, fmt::format("panthor is bound to {}", node->name), ""};
  for (const OtherDriver& other : other_drivers)
    if (node->driver == other.name)
      return {Level::bad, fmt::format("{}: {}", node->name, other.what), std::string(other.fix)};
  return {Level::bad, fmt::format("{}: {} is bound, not panthor", node->name, node->driver),
          fmt::format("echo {0} >/sys/bus/platform/drivers/{1}/unbind; modprobe panthor; "
                      "echo {0} >/sys/bus/platform/drivers/panthor/bind",
                      node->name, node->driver)};
}

Finding kernel(const BoardTree& board) {
  const std::string release = board.text("/proc/sys/kernel/osrelease");
  unsigned major = 0;
  unsigned minor = 0;
  if (std::sscanf(release.c_str(), "%u.%u", &major, &minor) != 2)
    return {Level::unknown, "the kernel's release is not readable", "uname -r"};
  if (major < 6 || (major == 6 && minor < 10))
    return {Level::bad, fmt::format("{}: panthor came with 6.10", release),
            "boot a mainline kernel once: grub-reboot 'TITLE OF ITS ENTRY' && reboot"};
  if (!board.exists("/lib/modules/" + release) && kernel_config(board, "MODULES") != "n")
    return {Level::warning, fmt::format("{} has no modules in /lib/modules", release),
            fmt::format("ls /lib/modules: install the modules of {}", release)};
  return {Level::good, release, ""};
}

Finding config(const BoardTree& board) {
  const std::string panthor = kernel_config(board, "DRM_PANTHOR");
  if (panthor.empty())
    return {Level::unknown, "the kernel's configuration is not there",
            "zgrep PANTHOR /proc/config.gz /boot/config-$(uname -r)"};
  if (panthor == "n")
    return {Level::bad, "CONFIG_DRM_PANTHOR is not set", "build the kernel with CONFIG_DRM_PANTHOR=m"};
  return {Level::good, "CONFIG_DRM_PANTHOR=" + panthor, ""};
}

Finding firmware(const BoardTree& board) {
  constexpr uint32_t mali_g610 = 0xa8670005;
  const uint32_t id = board.gpu_id.value_or(mali_g610);
  // panthor_fw_load(): arm/mali/archMAJOR.MINOR/mali_csffw.bin
  const std::string file = fmt::format("arm/mali/arch{}.{}/mali_csffw.bin", id >> 28, (id >> 24) & 0xf);
  std::vector<std::string> directories = {
      "/lib/firmware/updates/" + board.text("/proc/sys/kernel/osrelease"), "/lib/firmware/updates",
      "/lib/firmware/" + board.text("/proc/sys/kernel/osrelease"), "/lib/firmware", "/usr/lib/firmware"};
  if (const auto given = board.text("/sys/module/firmware_class/parameters/path"); !given.empty())
    directories.insert(directories.begin(), given);
  for (const std::string& directory : directories)
    for (const char* compressed : {"", ".zst", ".xz"})
      if (const std::string path = directory + "/" + file + compressed; board.exists(path))
        return {Level::good, path, ""};
  return {Level::bad,
          fmt::format("{} is missing{}", file,
                      board.gpu_id ? "" : " (the GPU's id is not known: a G610 assumed)"),
          "apt install firmware-misc-nonfree, or pacman -S linux-firmware; update-initramfs -u if panthor is "
          "in it"};
}

/// What a wedged GPU leaves in the log.
constexpr std::string_view wedge_markers[] = {
    "Failed to boot MCU", "making device unusable", "FW ping timeout",         "update request timedout",
    "job timeout",        "AS_ACTIVE bit stuck",    "Flush caches timeout",    "Unhandled Page fault",
    "CS_FATAL",           "Soft reset timeout",     "Failed to load firmware", "blocked for more than",
};

Finding kernel_log(const BoardTree& board) {
  if (!board.kernel_log_readable)
    return {Level::unknown, "the kernel log may not be read", "sudo panthor-harness doctor"};
  size_t count = 0;
  std::string last;
  for (const std::string& line : board.kernel_log)
    for (const std::string_view marker : wedge_markers)
      if (line.find(marker) != std::string::npos) {
        ++count;
        last = line;
        break;
      }
  if (count == 0) return {Level::good, "no sign of a wedged GPU", ""};
  return {Level::warning, fmt::format("{} lines of a wedged GPU, the last: {}", count, last),
          "panthor-harness ladder; dmesg | grep -i panthor"};
}

constexpr Check table[] = {
    {"driver", driver},     {"kernel", kernel},         {"kernel config", config},
    {"firmware", firmware}, {"kernel log", kernel_log},
};

}  // namespace

std::string kernel_config(const BoardTree& board, const std::string& name) {
  std::string all = board.text("/boot/config-" + board.text("/proc/sys/kernel/osrelease"));
  if (all.empty() && board.exists("/proc/config.gz")) {
    const std::string command =
        fmt::format("gzip -dc '{}' 2>/dev/null", board.path("/proc/config.gz").string());
    const std::unique_ptr<FILE, int (*)(FILE*)> pipe(::popen(command.c_str(), "r"), ::pclose);
    char buffer[4096];
    for (size_t got = 0; pipe && (got = std::fread(buffer, 1, sizeof(buffer), pipe.get())) > 0;)
      all.append(buffer, got);
  }
  if (all.empty()) return "";
  const std::string key = "\nCONFIG_" + name + "=";
  const auto at = ("\n" + all).find(key);
  return at == std::string::npos ? "n" : std::string(1, ("\n" + all)[at + key.size()]);
}

std::span<const Check> driver_checks() {
  return table;
}

std::vector<Check> all_checks() {
  std::vector<Check> all;
  for (const auto checks : {driver_checks(), power_checks(), user_checks()})
    all.insert(all.end(), checks.begin(), checks.end());
  return all;
}

}  // namespace harness
