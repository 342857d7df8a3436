// SPDX-License-Identifier: MIT
#include "autopsy/bounded_read.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <system_error>

#include "ladder/rung_process.hpp"
#include "panthor/unique_fd.hpp"

namespace harness::autopsy {
namespace {

using Clock = std::chrono::steady_clock;
using panthor::UniqueFd;

/// A process that waits for a lock dies of SIGKILL only when it gets it.
constexpr auto death_takes = std::chrono::milliseconds(200);
/// Exit status of a child whose work threw something that is no std::system_error.
constexpr int unknown_error = 255;

[[noreturn]] void child(const std::function<int(int)>& work, int fd) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  let_go_of_the_terminal();
  try {
    ::_exit(work(fd) & 0xff);
  } catch (const std::system_error& error) {
    ::_exit(error.code().value() & 0xff);
  } catch (...) {
    ::_exit(unknown_error);
  }
}

int copy_file(const std::filesystem::path& path, int to) {
  const UniqueFd from(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!from) return errno;
  std::array<char, 65536> buffer;
  for (size_t total = 0; total < size_limit;) {
    const ssize_t got = ::read(from.get(), buffer.data(), buffer.size());
    if (got < 0) return errno;
    if (got == 0) break;
    if (::write(to, buffer.data(), static_cast<size_t>(got)) != got) return errno;
    total += static_cast<size_t>(got);
  }
  return 0;
}

}  // namespace

std::string Bounded::why_not() const {
  if (!finished) return "did not return in time: it waits for a lock that is held";
  return error == 0 ? "" : std::strerror(error);
}

Bounded run_bounded(const std::function<int(int fd)>& work, std::chrono::milliseconds deadline) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) throw std::system_error(errno, std::generic_category(), "pipe2");
  const UniqueFd reader(ends[0]);
  UniqueFd writer(ends[1]);
  const pid_t pid = ::fork();
  if (pid < 0) throw std::system_error(errno, std::generic_category(), "fork");
  if (pid == 0) child(work, writer.get());
  writer.reset();

  Bounded result;
  const auto end = Clock::now() + deadline;
  std::array<char, 65536> buffer;
  bool closed = false;
  while (!closed) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now()).count();
    pollfd ready{.fd = reader.get(), .events = POLLIN, .revents = 0};
    if (left <= 0 || ::poll(&ready, 1, static_cast<int>(left)) == 0) break;
    const ssize_t got = ::read(reader.get(), buffer.data(), buffer.size());
    if (got > 0) result.text.append(buffer.data(), static_cast<size_t>(got));
    closed = got == 0;
  }
  if (!closed) {
    ::kill(pid, SIGKILL);
    (void)reap(pid, death_takes);  // one that does not die is left behind
    return result;
  }
  int status = 0;
  if (::waitpid(pid, &status, 0) == pid) {
    result.finished = true;
    result.error = WIFEXITED(status) ? WEXITSTATUS(status) : EINTR;
  }
  return result;
}

Bounded read_bounded(const std::filesystem::path& path, std::chrono::milliseconds deadline) {
  return run_bounded([&](int fd) { return copy_file(path, fd); }, deadline);
}

}  // namespace harness::autopsy
