// SPDX-License-Identifier: MIT
#include "supervisor/process.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <system_error>
#include <utility>

namespace guests {
namespace {

void pause_ms(long ms) {
  const timespec t{ms / 1000, ms % 1000 * 1'000'000};
  ::nanosleep(&t, nullptr);
}

/// In the child; only async-signal-safe calls, and what fork() of a single thread allows.
[[noreturn]] void execute(const Spawn& spawn, char** arguments, pid_t parent) {
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(127);
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  for (const int number : {SIGPIPE, SIGINT, SIGTERM, SIGHUP, SIGQUIT}) ::signal(number, SIG_DFL);
  const rlimit no_core{0, 0};
  ::setrlimit(RLIMIT_CORE, &no_core);

  const int input = ::open("/dev/null", O_RDONLY);
  const int output = ::open(spawn.output.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0644);
  const int error = ::open(spawn.error.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0644);
  if (input < 0 || output < 0 || error < 0) ::_exit(127);
  ::dup2(input, 0);
  ::dup2(output, 1);
  ::dup2(error, 2);
  for (const int fd : {input, output, error})
    if (fd > 2) ::close(fd);
  for (const int fd : spawn.keep) ::fcntl(fd, F_SETFD, 0);
  for (const auto& [name, value] : spawn.environment) ::setenv(name.c_str(), value.c_str(), 1);
  if (!spawn.directory.empty() && ::chdir(spawn.directory.c_str()) != 0) ::_exit(127);
  ::execv(arguments[0], arguments);
  const char* text = std::strerror(errno);
  [[maybe_unused]] const ssize_t written = ::write(2, text, std::strlen(text));
  ::_exit(127);
}

}  // namespace

Process::Process(const Spawn& spawn) {
  std::vector<char*> arguments;
  for (const std::string& word : spawn.arguments) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  const pid_t parent = ::getpid();
  pid_ = ::fork();
  if (pid_ < 0) throw std::system_error(errno, std::generic_category(), "fork");
  if (pid_ == 0) execute(spawn, arguments.data(), parent);
  ::setpgid(pid_, pid_);  // whoever comes first
}

Process::Process(Process&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)), status_(std::exchange(other.status_, std::nullopt)) {}

Process& Process::operator=(Process&& other) noexcept {
  if (this != &other) {
    end();
    pid_ = std::exchange(other.pid_, -1);
    status_ = std::exchange(other.status_, std::nullopt);
  }
  return *this;
}

bool Process::poll() noexcept {
  int status = 0;
  if (pid_ > 0 && !status_ && ::waitpid(pid_, &status, WNOHANG) == pid_) status_ = status;
  return status_.has_value();
}

bool Process::wait(int limit_ms) noexcept {
  for (int waited = 0; waited < limit_ms && !poll(); waited += 5) pause_ms(5);
  return poll();
}

void Process::signal(int number) const noexcept {
  if (pid_ > 0 && !status_) ::kill(pid_, number);
}

void Process::end(int grace_ms) noexcept {
  if (pid_ <= 0) return;
  if (grace_ms > 0) {
    signal(SIGTERM);
    wait(grace_ms);
  }
  // The group outlives its leader: UML's helpers are in it.
  ::kill(-pid_, SIGKILL);
  if (!status_) {
    int status = 0;
    while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
    }
    status_ = status;
  }
  // Orphans of the group come to us, the subreaper.
  while (::waitpid(-pid_, nullptr, 0) > 0) {
  }
  pid_ = -1;
}

std::string describe_status(int status) {
  if (WIFSIGNALED(status))
    return fmt::format("signal {} ({})", WTERMSIG(status), ::strsignal(WTERMSIG(status)));
  return fmt::format("status {}", WEXITSTATUS(status));
}

}  // namespace guests
