// SPDX-License-Identifier: MIT
#include "agent/command.hpp"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <system_error>
#include <vector>

namespace guests::agent {
namespace {

[[noreturn]] void fail(const char* what) {
  throw std::system_error(errno, std::generic_category(), what);
}

struct Pipe {
  UniqueFd read, write;
  Pipe() {
    std::array<int, 2> fds{};
    if (::pipe2(fds.data(), O_CLOEXEC) != 0) fail("pipe");
    read.reset(fds[0]);
    write.reset(fds[1]);
  }
};

/// Never returns. Runs in the child.
[[noreturn]] void execute(const Job& job, int input, int output, int error) {
  ::dup2(input, 0);
  ::dup2(output, 1);
  ::dup2(error, 2);

  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  ::signal(SIGPIPE, SIG_DFL);

  std::vector<char*> arguments;
  for (const std::string& word : job.command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  ::clearenv();
  for (const std::string& variable : job.environment) ::putenv(const_cast<char*>(variable.c_str()));
  if (::chdir(job.directory.c_str()) != 0) {
    std::fprintf(stderr, "%s: %s\n", job.directory.c_str(), std::strerror(errno));
    ::_exit(126);
  }
  ::execvp(arguments[0], arguments.data());
  const int code = errno == ENOENT ? 127 : 126;
  std::fprintf(stderr, "%s: %s\n", arguments[0], std::strerror(errno));
  ::_exit(code);
}

Command start_on_terminal(const Job& job) {
  Command command;
  command.output.reset(::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC));
  if (!command.output || ::grantpt(command.output.get()) != 0 || ::unlockpt(command.output.get()) != 0)
    fail("pseudo terminal");
  const std::string name = ::ptsname(command.output.get());
  set_window_size(command, job.rows, job.columns);
  command.input.reset(::fcntl(command.output.get(), F_DUPFD_CLOEXEC, 3));

  command.pid = ::fork();
  if (command.pid < 0) fail("fork");
  if (command.pid == 0) {
    ::setsid();
    const int terminal = ::open(name.c_str(), O_RDWR | O_CLOEXEC);
    ::ioctl(terminal, TIOCSCTTY, 0);
    execute(job, terminal, terminal, terminal);
  }
  return command;
}

Command start_on_pipes(const Job& job, const UniqueFd& input_file) {
  Pipe input, output, error;
  UniqueFd null(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  const int standard_input = job.input == Job::Input::live   ? input.read.get()
                             : job.input == Job::Input::file ? input_file.get()
                                                             : null.get();
  Command command;
  command.pid = ::fork();
  if (command.pid < 0) fail("fork");
  if (command.pid == 0) {
    ::setsid();
    execute(job, standard_input, output.write.get(), error.write.get());
  }
  if (job.input == Job::Input::live) {
    command.input = std::move(input.write);
    ::fcntl(command.input.get(), F_SETFL, O_NONBLOCK);
  }
  command.output = std::move(output.read);
  command.error = std::move(error.read);
  return command;
}

}  // namespace

Command start_command(const Job& job, UniqueFd input_file) {
  return job.terminal ? start_on_terminal(job) : start_on_pipes(job, input_file);
}

void set_window_size(const Command& command, uint32_t rows, uint32_t columns) {
  winsize size{};
  size.ws_row = static_cast<unsigned short>(rows);
  size.ws_col = static_cast<unsigned short>(columns);
  ::ioctl(command.output.get(), TIOCSWINSZ, &size);
}

}  // namespace guests::agent
