// SPDX-License-Identifier: MIT
#include "agent/root.hpp"

#include <fcntl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>

namespace guests::agent {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(const std::string& what) {
  throw std::system_error(errno, std::generic_category(), what);
}

void mount_at(const char* type, const std::string& target, unsigned long flags = 0,
              const std::string& data = {}) {
  if (::mount(type, target.c_str(), type, flags, data.empty() ? nullptr : data.c_str()) != 0)
    fail(std::string("mount ") + type + " on " + target);
}

/// A file system the command may find useful but can do without.
struct KernelMount {
  const char* type;
  const char* target;
  const char* data;
  bool needed;
};

constexpr std::array kernel_mounts{
    KernelMount{"proc", "/proc", "", true},
    KernelMount{"sysfs", "/sys", "", true},
    KernelMount{"devtmpfs", "/dev", "", true},
    KernelMount{"devpts", "/dev/pts", "ptmxmode=0666,mode=0620", false},
    KernelMount{"tmpfs", "/dev/shm", "mode=1777", false},
    KernelMount{"tmpfs", "/run", "mode=0755", true},
    KernelMount{"tmpfs", "/tmp", "mode=1777", true},
    KernelMount{"debugfs", "/sys/kernel/debug", "", false},
    KernelMount{"tracefs", "/sys/kernel/tracing", "", false},
};

constexpr const char* lower = "/lower";
constexpr const char* upper = "/upper";
constexpr const char* root = "/newroot";

void mount_root(const Job& job, const Warn& warn) {
  mount_at("hostfs", lower, MS_RDONLY, job.rootfs);
  mount_at("tmpfs", upper, 0, "mode=0755");
  for (const char* name : {"upper", "work"})
    if (::mkdir((std::string(upper) + "/" + name).c_str(), 0755) != 0) fail("mkdir in the upper layer");
  const std::string layers =
      std::string("lowerdir=") + lower + ",upperdir=" + upper + "/upper,workdir=" + upper + "/work";
  if (::mount("overlay", root, "overlay", 0, layers.c_str()) == 0) return;
  warn(std::string("no overlay (") + std::strerror(errno) +
       "): the root is read-only, /root and /var/tmp are memory");
  if (::mount(lower, root, nullptr, MS_BIND, nullptr) != 0) fail("bind the root");
  for (const char* place : {"/root", "/var/tmp"}) {
    struct stat status {};
    const std::string target = std::string(root) + place;
    if (::stat(target.c_str(), &status) == 0) mount_at("tmpfs", target);
  }
}

void mount_kernel_file_systems() {
  for (const KernelMount& m : kernel_mounts) {
    const std::string target = std::string(root) + m.target;
    std::error_code ignored;
    fs::create_directories(target, ignored);
    if (::mount(m.type, target.c_str(), m.type, MS_NOSUID, m.data) != 0 && m.needed)
      fail(std::string("mount ") + m.type + " on " + m.target);
  }
}

void mount_binds(const Job& job) {
  for (const Job::Bind& bind : job.binds) {
    const std::string target = root + bind.guest;
    fs::create_directories(target);
    mount_at("hostfs", target, bind.read_only ? MS_RDONLY : 0, bind.host);
  }
}

}  // namespace

void mount_first_devices() {
  ::mount("devtmpfs", "/dev", "devtmpfs", 0, nullptr);
  for (int fd = ::open("/dev/null", O_RDWR); fd >= 0 && fd < 2;) fd = ::dup(fd);
}

void enter_root(const Job& job, const Warn& warn) {
  mount_root(job, warn);
  mount_kernel_file_systems();
  mount_binds(job);
  // The kernel looks for firmware below the root of the first process, so it is this process that moves.
  if (::chdir(root) != 0 || ::mount(".", "/", nullptr, MS_MOVE, nullptr) != 0 || ::chroot(".") != 0 ||
      ::chdir("/") != 0)
    fail("change the root");
}

}  // namespace guests::agent
