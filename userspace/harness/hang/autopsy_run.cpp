// SPDX-License-Identifier: MIT
#include "hang/autopsy_run.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <string>
#include <system_error>

#include "exit_code.hpp"
#include "ladder/rung_process.hpp"
#include "panthor/unique_fd.hpp"

namespace harness {
namespace {

using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

constexpr auto deadline = 15s;
constexpr auto dies_within = 2s;

struct Output {
  std::string text;
  bool in_time = false;
};

/// Everything `fd` gives until its end or the deadline.
Output read_all(int fd) {
  Output output;
  const auto end = Clock::now() + deadline;
  std::array<char, 4096> buffer;
  for (;;) {
    pollfd waiting{.fd = fd, .events = POLLIN, .revents = 0};
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - Clock::now());
    if (left.count() <= 0 || ::poll(&waiting, 1, static_cast<int>(left.count())) == 0) return output;
    const ssize_t got = ::read(fd, buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    output.text.append(buffer.data(), static_cast<size_t>(got));
  }
  output.in_time = true;
  return output;
}

[[noreturn]] void child(pid_t of, int out) {
  const std::string pid = std::to_string(of);
  const int null = ::open("/dev/null", O_RDWR);
  ::dup2(null, STDIN_FILENO);
  ::dup2(out, STDOUT_FILENO);
  ::dup2(null, STDERR_FILENO);
  ::execl("/proc/self/exe", "panthor-harness", "autopsy", "--json", of == 0 ? nullptr : "--pid", pid.c_str(),
          static_cast<char*>(nullptr));
  ::_exit(exit_usage);
}

}  // namespace

nlohmann::ordered_json run_autopsy(pid_t of) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) throw std::system_error(errno, std::generic_category(), "pipe2");
  const panthor::UniqueFd from(ends[0]);
  panthor::UniqueFd to(ends[1]);
  const pid_t pid = ::fork();
  if (pid < 0) throw std::system_error(errno, std::generic_category(), "fork");
  if (pid == 0) child(of, to.get());
  to.reset();
  const Output output = read_all(from.get());
  if (!output.in_time) ::kill(pid, SIGKILL);
  int status = 0;
  if (output.in_time)
    ::waitpid(pid, &status, 0);
  else
    (void)reap(pid, dies_within);
  if (WIFEXITED(status) && WEXITSTATUS(status) == exit_usage) return nullptr;
  if (!output.in_time) return {{"error", "it did not come back"}};
  const auto parsed = nlohmann::ordered_json::parse(output.text, nullptr, false);
  if (!parsed.is_object()) return {{"error", "its output is no JSON object"}};
  nlohmann::ordered_json result;
  for (const char* key : {"verdict", "stages", "confidence", "cause", "headline"})
    if (const auto it = parsed.find(key); it != parsed.end()) result[key] = *it;
  return result;
}

}  // namespace harness
