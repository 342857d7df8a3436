// SPDX-License-Identifier: MIT
#include "supervisor/run_directory.hpp"

#include <fmt/format.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdlib>
#include <stdexcept>
#include <system_error>

namespace guests {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view prefix = "panthor-guest.";

/// "panthor-guest.PID.XXXXXX" of a process that is no more.
bool stale(const fs::path& path) {
  const std::string name = path.filename().string();
  if (!name.starts_with(prefix)) return false;
  pid_t pid = 0;
  const auto [end, error] = std::from_chars(name.data() + prefix.size(), name.data() + name.size(), pid);
  return error == std::errc() && *end == '.' && pid > 0 && ::kill(pid, 0) != 0 && errno == ESRCH;
}

void remove_stale(const fs::path& base) {
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(base, error)) {
    std::error_code ignored;
    if (stale(entry.path())) fs::remove_all(entry.path(), ignored);
  }
}

bool fits(const fs::path& directory, uint64_t bytes) {
  struct statvfs status {};
  if (::statvfs(directory.c_str(), &status) != 0 || ::access(directory.c_str(), W_OK | X_OK) != 0)
    return false;
  return !(status.f_flag & ST_NOEXEC) && uint64_t{status.f_bavail} * status.f_frsize >= bytes;
}

}  // namespace

RunDirectory::RunDirectory() {
  const fs::path base = fs::temp_directory_path();
  remove_stale(base);
  // The width of the name does not vary, so that it does not show in a reproducible guest.
  std::string name = (base / fmt::format("{}{:010}.XXXXXX", prefix, ::getpid())).string();
  if (!::mkdtemp(name.data())) throw std::system_error(errno, std::generic_category(), name);
  path_ = fs::canonical(name);
}

RunDirectory::~RunDirectory() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

fs::path memory_directory(uint64_t bytes) {
  const char* set = std::getenv("TMPDIR");
  for (const fs::path& candidate :
       {fs::path("/dev/shm"), fs::path(set ? set : "/tmp"), fs::path("/tmp"), fs::path("/var/tmp")})
    if (fits(candidate, bytes)) return candidate;
  throw std::runtime_error(fmt::format(
      "no directory with {} MiB free for the guest's memory (tried /dev/shm, $TMPDIR, /tmp, /var/tmp)",
      bytes >> 20));
}

uint64_t parse_size(const std::string& text) {
  uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc()) throw std::runtime_error("size " + text);
  const char unit = end == text.data() + text.size() ? ' ' : *end;
  return value << (unit == 'G' ? 30 : unit == 'M' ? 20 : unit == 'K' ? 10 : 0);
}

}  // namespace guests
