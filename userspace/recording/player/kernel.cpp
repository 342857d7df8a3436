// SPDX-License-Identifier: MIT
#include "player/kernel.hpp"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <system_error>
#include <vector>

namespace recording {
namespace {

namespace fs = std::filesystem;

constexpr uint64_t second_ns = 1'000'000'000;

/// The driver behind a node, by sysfs: asking the node itself would be one more ioctl in a recording of the
/// replay.
std::string driver_of(const fs::path& node) {
  std::error_code ignored;
  return fs::read_symlink("/sys/class/drm" / node.filename() / "device/driver", ignored).filename();
}

std::string find_node(const std::string& wanted) {
  if (!wanted.empty()) {
    std::error_code ignored;
    const fs::path node = fs::canonical(wanted, ignored);
    if (driver_of(node.empty() ? fs::path(wanted) : node) == "panthor") return wanted;
    throw std::system_error(ENODEV, std::generic_category(), wanted + " is not driven by panthor");
  }
  std::vector<std::string> nodes;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator("/dev/dri", ignored))
    if (entry.path().filename().string().starts_with("renderD") && driver_of(entry.path()) == "panthor")
      nodes.push_back(entry.path());
  if (nodes.empty())
    throw std::system_error(ENODEV, std::generic_category(), "no render node driven by panthor");
  return *std::ranges::min_element(nodes);
}

class RealKernel final : public Kernel {
 public:
  explicit RealKernel(std::string node) : node_(std::move(node)) {
    guard_ = ::mmap(nullptr, guard_bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (guard_ == MAP_FAILED) throw std::system_error(errno, std::generic_category(), "mmap");
  }
  ~RealKernel() override { ::munmap(guard_, guard_bytes); }

  int open_node() override {
    const int fd = ::open(node_.c_str(), O_RDWR | O_CLOEXEC);
    if (fd < 0) throw std::system_error(errno, std::generic_category(), "open(" + node_ + ")");
    return fd;
  }
  void close(int fd) override { ::close(fd); }
  int duplicate(int fd) override { return ::fcntl(fd, F_DUPFD_CLOEXEC, 0); }
  int ioctl(int fd, uint32_t request, void* argument) override {
    return ::ioctl(fd, request, argument) < 0 ? errno : 0;
  }
  std::byte* map(int fd, uint64_t offset, uint64_t length, uint32_t protection, int& error) override {
    void* address =
        ::mmap(nullptr, length, static_cast<int>(protection), MAP_SHARED, fd, static_cast<off_t>(offset));
    error = address == MAP_FAILED ? errno : 0;
    return address == MAP_FAILED ? nullptr : static_cast<std::byte*>(address);
  }
  void unmap(std::byte* address, uint64_t length) override { ::munmap(address, length); }
  uint64_t now_ns() override {
    timespec now{};
    ::clock_gettime(CLOCK_MONOTONIC, &now);
    return static_cast<uint64_t>(now.tv_sec) * second_ns + static_cast<uint64_t>(now.tv_nsec);
  }
  void sleep_until(uint64_t time_ns) override {
    const timespec until{.tv_sec = static_cast<time_t>(time_ns / second_ns),
                         .tv_nsec = static_cast<long>(time_ns % second_ns)};
    while (::clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, nullptr) == EINTR) {
    }
  }
  uint64_t unmapped_address() override { return reinterpret_cast<uint64_t>(guard_); }

 private:
  /// More than the kernel copies from one pointer in any call of the table.
  static constexpr size_t guard_bytes = 1 << 30;
  std::string node_;
  void* guard_;
};

}  // namespace

std::unique_ptr<Kernel> make_kernel(const std::string& node) {
  return std::make_unique<RealKernel>(find_node(node));
}

}  // namespace recording
