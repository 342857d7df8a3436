// SPDX-License-Identifier: MIT
#include "preload/process.hpp"

#include <drm/panthor_drm.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/uio.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <new>
#include <system_error>

#include "preload/real_calls.hpp"

namespace preload {
namespace {

using recording::Info;
using recording::Writer;

constexpr unsigned drm_major = 226;
/// Above what programs close by counting, below the usual limit of 1024.
constexpr int recording_fd_from = 800;

bool read_own_memory(uint64_t address, std::span<std::byte> out) noexcept {
  const iovec local{.iov_base = out.data(), .iov_len = out.size()};
  const iovec remote{.iov_base = reinterpret_cast<void*>(address), .iov_len = out.size()};
  const ssize_t copied = ::process_vm_readv(::getpid(), &local, 1, &remote, 1, 0);
  if (copied == static_cast<ssize_t>(out.size())) return true;
  if (copied >= 0 || errno == EFAULT) return false;
  // The kernel lacks the call or a sandbox forbids it: trust the pointer, as the program does.
  std::memcpy(out.data(), reinterpret_cast<const void*>(address), out.size());
  return true;
}

class OwnSyscalls final : public recording::Syscalls {
 public:
  int ioctl(int fd, unsigned long request, void* argument) override {
    return real().ioctl(fd, request, argument);
  }
  uint64_t now_ns() override {
    timespec now{};
    ::clock_gettime(CLOCK_MONOTONIC, &now);
    return static_cast<uint64_t>(now.tv_sec) * 1'000'000'000u + static_cast<uint64_t>(now.tv_nsec);
  }
  uint32_t thread_id() override { return static_cast<uint32_t>(::gettid()); }
  recording::ReadMemory read_memory() override { return read_own_memory; }
};

struct DriverIdentity {
  std::string name;
  std::string version;
};

DriverIdentity identify(int fd) {
  char name[32] = {};
  drm_version version{};
  version.name = name;
  version.name_len = sizeof(name) - 1;
  if (real().ioctl(fd, DRM_IOCTL_VERSION, &version) != 0) return {};
  return {name, std::to_string(version.version_major) + '.' + std::to_string(version.version_minor) + '.' +
                    std::to_string(version.version_patchlevel)};
}

std::string gpu_id(int fd) {
  drm_panthor_gpu_info info{};
  drm_panthor_dev_query query{.type = DRM_PANTHOR_DEV_QUERY_GPU_INFO,
                              .size = sizeof(info),
                              .pointer = reinterpret_cast<uint64_t>(&info)};
  if (real().ioctl(fd, DRM_IOCTL_PANTHOR_DEV_QUERY, &query) != 0) return "unknown";
  char text[16];
  std::snprintf(text, sizeof(text), "0x%08x", info.gpu_id);
  return text;
}

std::string command_line() {
  std::ifstream file("/proc/self/cmdline");
  std::string text{std::istreambuf_iterator<char>(file), {}};
  for (char& c : text)
    if (c == 0) c = ' ';
  return text;
}

Info describe(int drm_fd) {
  utsname kernel{};
  ::uname(&kernel);
  const DriverIdentity driver = identify(drm_fd);
  Info info{{"driver", driver.name},     {"driver_version", driver.version},
            {"gpu_id", gpu_id(drm_fd)},  {"kernel", kernel.release},
            {"machine", kernel.machine}, {"recorder", PANTHOR_LAB_VERSION}};
  if (const char* wanted = std::getenv("PANTHOR_RECORD_CMDLINE"); wanted != nullptr && wanted[0] == '1')
    info["command"] = command_line();
  return info;
}

/// FILE for the first process, FILE.PID for the others, FILE.PID.N for those a process becomes by exec().
common::UniqueFd create_file(const std::string& file) {
  for (int attempt = 0;; ++attempt) {
    std::string name = file;
    if (attempt > 0) name += '.' + std::to_string(::getpid());
    if (attempt > 1) name += '.' + std::to_string(attempt);
    common::UniqueFd fd(real().open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644));
    if (fd) {
      const int high = real().fcntl(fd.get(), F_DUPFD_CLOEXEC, recording_fd_from);
      return high >= 0 ? common::UniqueFd(high) : std::move(fd);
    }
    if (errno != EEXIST || attempt == 1000) throw std::system_error(errno, std::generic_category(), name);
  }
}

std::unique_ptr<Writer> make_writer(int drm_fd) {
  const char* file = std::getenv("PANTHOR_RECORD_FILE");
  return std::make_unique<Writer>(create_file(file != nullptr ? file : "panthor.rec"), describe(drm_fd));
}

recording::RecorderOptions options() {
  recording::RecorderOptions options;
  if (const char* limit = std::getenv("PANTHOR_RECORD_MAX_CONTENT"))
    options.most_content_bytes = std::strtoull(limit, nullptr, 10);
  options.report_error = [](const std::string& why) {
    ::dprintf(STDERR_FILENO, "panthor-record: %s; the recording ends here\n", why.c_str());
  };
  return options;
}

alignas(Process) std::byte storage[sizeof(Process)];
Process* instance = nullptr;

}  // namespace

Process::Process()
    : pid_(::getpid()),
      syscalls_(std::make_unique<OwnSyscalls>()),
      recorder_(*syscalls_, options(), make_writer) {}

Process& Process::current() noexcept {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  ::pthread_once(&once, install);
  return *instance;
}

void Process::install() noexcept {
  instance = new (storage) Process();
  ::pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child);
}

void Process::before_fork() noexcept {
  instance->recorder_.mutex().lock();
}

void Process::after_fork_in_parent() noexcept {
  instance->recorder_.mutex().unlock();
}

void Process::after_fork_in_child() noexcept {
  if (const int fd = instance->recorder_.recording_fd(); fd >= 0) real().close(fd);
  // The parent's state is left as it is: its mutex is held, and its memory is a copy nobody misses.
  instance = new (storage) Process();
}

bool Process::tracks(int fd) const noexcept {
  return recorder_.tracks(fd) && pid_ == ::getpid();
}

void Process::opened(int fd, const char* path) noexcept {
  const int saved_errno = errno;
  struct stat status {};
  if (fd >= 0 && pid_ == ::getpid() && ::fstat(fd, &status) == 0 && S_ISCHR(status.st_mode) &&
      major(status.st_rdev) == drm_major && identify(fd).name == "panthor") {
    const std::string name(path);
    recorder_.opened(fd, name.substr(name.rfind('/') + 1));
  }
  errno = saved_errno;
}

}  // namespace preload
