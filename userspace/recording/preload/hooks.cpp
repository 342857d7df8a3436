// SPDX-License-Identifier: MIT
// The functions that libpanthor-record.so puts in front of libc's. Each does what libc's does and tells the
// recorder.
#include <fcntl.h>
#include <stdarg.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "preload/process.hpp"
#include "preload/real_calls.hpp"

#define HOOK extern "C" __attribute__((visibility("default")))

// The fortified headers declare some of these with other attributes; ours are definitions for the linker
// alone.
#pragma GCC diagnostic ignored "-Wmissing-attributes"

namespace preload {

const RealCalls& real() noexcept {
  static const RealCalls calls;
  return calls;
}

namespace {

int opened(int fd, const char* path) {
  if (fd >= 0) Process::current().opened(fd, path);
  return fd;
}

int duplicated(int from, int to) {
  Process& process = Process::current();
  if (to >= 0 && to != from && process.tracks(from)) process.recorder().duplicated(from, to);
  return to;
}

/// Before `fd` goes away.
void closing(int fd) {
  Process& process = Process::current();
  if (process.tracks(fd)) process.recorder().closing(fd);
}

/// The program does not know of this one, and must not close it by counting.
bool is_recording(int fd) {
  return fd >= 0 && Process::current().recorder().recording_fd() == fd;
}

/// The mode argument, which is there only when a file may be created.
mode_t mode_of(int flags, va_list arguments) {
  return (flags & (O_CREAT | __O_TMPFILE)) != 0 ? va_arg(arguments, mode_t) : 0;
}

void* mapped(void* address, size_t length, int protection, int flags, int fd, off_t offset) {
  Process& process = Process::current();
  if ((flags & (MAP_FIXED | MAP_FIXED_NOREPLACE)) == MAP_FIXED) process.recorder().unmapping(address, length);
  void* result = real().mmap(address, length, protection, flags, fd, offset);
  if (result != MAP_FAILED && process.tracks(fd))
    process.recorder().mapped(fd, result, length, protection, static_cast<uint64_t>(offset));
  return result;
}

__attribute__((destructor)) void at_end() {
  Process::current().recorder().flush(true);
}

}  // namespace
}  // namespace preload

using preload::real;

#define DEFINE_OPEN(name)                                         \
  HOOK int name(const char* path, int flags, ...) {               \
    va_list arguments;                                            \
    va_start(arguments, flags);                                   \
    const mode_t mode = preload::mode_of(flags, arguments);       \
    va_end(arguments);                                            \
    return preload::opened(real().open(path, flags, mode), path); \
  }
#define DEFINE_OPENAT(name)                                                    \
  HOOK int name(int directory, const char* path, int flags, ...) {             \
    va_list arguments;                                                         \
    va_start(arguments, flags);                                                \
    const mode_t mode = preload::mode_of(flags, arguments);                    \
    va_end(arguments);                                                         \
    return preload::opened(real().openat(directory, path, flags, mode), path); \
  }
// 64-bit only: O_LARGEFILE means nothing there, so one real function serves both names.
static_assert(sizeof(off_t) == 8);
DEFINE_OPEN(open)
DEFINE_OPEN(open64)
DEFINE_OPEN(__open_2)
DEFINE_OPEN(__open64_2)
DEFINE_OPENAT(openat)
DEFINE_OPENAT(openat64)
DEFINE_OPENAT(__openat_2)
DEFINE_OPENAT(__openat64_2)

#define DEFINE_FOPEN(name)                                    \
  HOOK FILE* name(const char* path, const char* mode) {       \
    FILE* file = real().fopen(path, mode);                    \
    if (file != nullptr) preload::opened(fileno(file), path); \
    return file;                                              \
  }
DEFINE_FOPEN(fopen)
DEFINE_FOPEN(fopen64)

HOOK int fclose(FILE* file) {
  if (file != nullptr) preload::closing(fileno(file));
  return real().fclose(file);
}

HOOK int close(int fd) {
  if (preload::is_recording(fd)) {
    errno = EBADF;
    return -1;
  }
  preload::closing(fd);
  return real().close(fd);
}

HOOK int close_range(unsigned first, unsigned last, int flags) {
  constexpr unsigned most_fds = 1 << 16;
  if ((flags & CLOSE_RANGE_CLOEXEC) != 0) return real().close_range(first, last, flags);
  for (unsigned fd = first; fd <= std::min(last, most_fds); ++fd) preload::closing(static_cast<int>(fd));
  const int keep = preload::Process::current().recorder().recording_fd();
  if (keep < 0 || first > static_cast<unsigned>(keep) || last < static_cast<unsigned>(keep))
    return real().close_range(first, last, flags);
  const auto kept = static_cast<unsigned>(keep);
  int result = kept > first ? real().close_range(first, kept - 1, flags) : 0;
  if (result == 0 && kept < last) result = real().close_range(kept + 1, last, flags);
  return result;
}

HOOK void closefrom(int first) noexcept {
  (void)close_range(static_cast<unsigned>(std::max(first, 0)), ~0u, 0);
}

HOOK int dup(int fd) noexcept {
  return preload::duplicated(fd, real().dup(fd));
}

HOOK int dup2(int from, int to) noexcept {
  if (from != to) preload::closing(to);
  return preload::duplicated(from, real().dup2(from, to));
}

HOOK int dup3(int from, int to, int flags) noexcept {
  if (from != to) preload::closing(to);
  return preload::duplicated(from, real().dup3(from, to, flags));
}

#define DEFINE_FCNTL(name)                                                    \
  HOOK int name(int fd, int command, ...) {                                   \
    va_list arguments;                                                        \
    va_start(arguments, command);                                             \
    void* argument = va_arg(arguments, void*);                                \
    va_end(arguments);                                                        \
    const int result = real().fcntl(fd, command, argument);                   \
    const bool duplicates = command == F_DUPFD || command == F_DUPFD_CLOEXEC; \
    return duplicates ? preload::duplicated(fd, result) : result;             \
  }
DEFINE_FCNTL(fcntl)
DEFINE_FCNTL(fcntl64)

HOOK int ioctl(int fd, unsigned long request, ...) noexcept {
  va_list arguments;
  va_start(arguments, request);
  void* argument = va_arg(arguments, void*);
  va_end(arguments);
  preload::Process& process = preload::Process::current();
  return process.tracks(fd) ? process.recorder().ioctl(fd, request, argument)
                            : real().ioctl(fd, request, argument);
}

HOOK void* mmap(void* address, size_t length, int protection, int flags, int fd, off_t offset) noexcept {
  return preload::mapped(address, length, protection, flags, fd, offset);
}

HOOK void* mmap64(void* address, size_t length, int protection, int flags, int fd, off64_t offset) noexcept {
  return preload::mapped(address, length, protection, flags, fd, offset);
}

HOOK int munmap(void* address, size_t length) noexcept {
  preload::Process::current().recorder().unmapping(address, length);
  return real().munmap(address, length);
}

HOOK __attribute__((noreturn)) void _exit(int status) {
  preload::Process::current().recorder().flush(true);
  ::syscall(SYS_exit_group, status);
  __builtin_unreachable();
}

HOOK __attribute__((noreturn)) void _Exit(int status) noexcept {
  _exit(status);
}
