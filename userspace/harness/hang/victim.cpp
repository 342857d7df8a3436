// SPDX-License-Identifier: MIT
#include "hang/victim.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <fstream>
#include <iterator>
#include <sstream>
#include <system_error>
#include <utility>

#include "ladder/rung_process.hpp"

namespace harness {
namespace {

constexpr char ready_mark = 'r';

struct Pipe {
  panthor::UniqueFd read, write;
};

Pipe make_pipe() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) throw std::system_error(errno, std::generic_category(), "pipe2");
  return {panthor::UniqueFd(ends[0]), panthor::UniqueFd(ends[1])};
}

void say(int fd, std::string_view text) {
  const ssize_t written = ::write(fd, text.data(), text.size());
  if (written < 0) ::_exit(1);  // nobody listens any more
}

[[noreturn]] void child(const Workload& workload, const std::string& node, int out, int in) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  WorkloadContext context{node, [&] {
                            char go = 0;
                            say(out, {&ready_mark, 1});
                            if (::read(in, &go, 1) != 1) ::_exit(1);
                          }};
  int status = 0;
  try {
    workload.run(context);
  } catch (const std::exception& error) {
    say(out, error.what());
    status = 1;
  }
  ::_exit(status);
}

}  // namespace

Victim::Victim(const Workload& workload, const std::string& node) {
  Pipe out = make_pipe(), in = make_pipe();
  pid_ = ::fork();
  if (pid_ < 0) throw std::system_error(errno, std::generic_category(), "fork");
  if (pid_ == 0) child(workload, node, out.write.get(), in.read.get());
  from_ = std::move(out.read);
  to_ = std::move(in.write);
}

Victim::~Victim() {
  if (!end_) ::kill(pid_, SIGKILL);
}

bool Victim::wait_ready(std::chrono::milliseconds patience) {
  pollfd waiting{.fd = from_.get(), .events = POLLIN, .revents = 0};
  char mark = 0;
  return ::poll(&waiting, 1, static_cast<int>(patience.count())) == 1 && ::read(from_.get(), &mark, 1) == 1 &&
         mark == ready_mark;
}

void Victim::go() {
  say(to_.get(), "g");
}

std::optional<VictimEnd> Victim::ended() {
  int status = 0;
  if (end_ || ::waitpid(pid_, &status, WNOHANG) != pid_) return end_;
  end_.emplace();
  std::array<char, 1024> text;
  const ssize_t got = ::read(from_.get(), text.data(), text.size());
  if (got > 0) end_->text.assign(text.data(), static_cast<size_t>(got));
  end_->failed = !WIFEXITED(status) || WEXITSTATUS(status) != 0;
  if (WIFSIGNALED(status)) end_->text = fmt::format("killed by signal {}", WTERMSIG(status));
  return end_;
}

bool Victim::kill(std::chrono::milliseconds patience) {
  if (end_) return true;
  ::kill(pid_, SIGKILL);
  if (!reap(pid_, patience)) return false;
  end_.emplace(VictimEnd{true, "killed"});
  return true;
}

std::chrono::milliseconds cpu_time(pid_t pid) {
  std::ifstream in(fmt::format("/proc/{}/stat", pid));
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  const auto name_end = text.rfind(')');
  if (name_end == std::string::npos) return {};
  std::istringstream fields(text.substr(name_end + 1));
  std::string skipped;
  for (int field = 3; field < 14; ++field) fields >> skipped;  // proc(5): utime is field 14, stime 15
  int64_t user = 0, system = 0;
  fields >> user >> system;
  return std::chrono::milliseconds((user + system) * 1000 / ::sysconf(_SC_CLK_TCK));
}

}  // namespace harness
