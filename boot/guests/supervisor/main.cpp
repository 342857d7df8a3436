// SPDX-License-Identifier: MIT
// panthor-guest: one command in a fresh UML guest with a virtual Mali-G610.
#include <fcntl.h>
#include <fmt/format.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <regex>
#include <system_error>

#include "supervisor/guest_run.hpp"
#include "supervisor/guest_setup.hpp"
#include "supervisor/options.hpp"
#include "supervisor/outcome.hpp"
#include "supervisor/run_directory.hpp"

namespace {

namespace fs = std::filesystem;
using namespace guests;

/// The signals that concern us, as a descriptor. Blocked before anything is started.
UniqueFd take_signals() {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int number : {SIGCHLD, SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGWINCH}) sigaddset(&signals, number);
  ::sigprocmask(SIG_BLOCK, &signals, nullptr);
  std::signal(SIGPIPE, SIG_IGN);
  UniqueFd fd(::signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK));
  if (!fd) throw std::system_error(errno, std::generic_category(), "signalfd");
  return fd;
}

/// In virtual time the model and the guest take turns, one message at a time: on two processors every turn
/// costs a wake-up of the other, which on a busy host makes the same run several times slower. What we start
/// inherits this.
void stay_on_one_cpu() {
  const int cpu = ::sched_getcpu();
  if (cpu < 0) return;
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(static_cast<size_t>(cpu), &one);
  ::sched_setaffinity(0, sizeof one, &one);
}

/// Input that is known beforehand goes into the run directory: nothing then arrives at a time the host
/// decides.
Job::Input choose_input(const Options& options) {
  struct stat status {};
  if (options.input == InputMode::none || ::fstat(0, &status) != 0) return Job::Input::none;
  if (options.input == InputMode::live || options.terminal) return Job::Input::live;
  if (S_ISREG(status.st_mode)) return Job::Input::file;
  if (S_ISCHR(status.st_mode) && !::isatty(0)) return Job::Input::none;  // /dev/null
  return Job::Input::live;
}

std::string matching_line(const fs::path& file, const std::string& pattern) {
  const std::regex regex(pattern);
  std::ifstream stream(file);
  for (std::string line; std::getline(stream, line);)
    if (std::regex_search(line, regex)) return line;
  return {};
}

/// A failed run whose logs nobody asked for: keep them all the same.
fs::path keep_logs(const fs::path& logs) {
  std::string name = (fs::temp_directory_path() / "panthor-guest-logs.XXXXXX").string();
  if (!::mkdtemp(name.data())) return {};
  std::error_code error;
  fs::copy(logs, name, fs::copy_options::recursive, error);
  return name;
}

void report(const Outcome& outcome, const fs::path& logs) {
  if (!outcome.message.empty())
    fmt::print(stderr, "panthor-guest: {} (logs: {})\n", outcome.message, logs.string());
  if (!outcome.dmesg_line.empty()) fmt::print(stderr, "panthor-guest: kernel log: {}\n", outcome.dmesg_line);
}

void write_results(const Options& options, const Outcome& outcome, const fs::path& logs) {
  const std::string json = outcome.to_json(options, logs.string());
  if (!options.log_directory.empty()) std::ofstream(fs::path(options.log_directory) / "result.json") << json;
  if (!options.result_file.empty() && !(std::ofstream(options.result_file) << json))
    throw std::system_error(errno, std::generic_category(), options.result_file);
}

int run(const Options& options) {
  const UniqueFd signals = take_signals();
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  if (options.time == TimeMode::virtual_time) stay_on_one_cpu();
  const RunDirectory directory;
  GuestSetup setup{directory.path(), options.log_directory.empty() ? directory.path() / "logs"
                                                                   : fs::path(options.log_directory)};
  fs::create_directories(setup.logs);
  for (const fs::path& file : {setup.console_log(), setup.vgpu_errors()})
    std::ofstream(file, std::ios::trunc);

  const Job::Input input = choose_input(options);
  setup.prepare(options, input);
  Outcome outcome = GuestRun(options, setup, input, signals.get()).run();
  if (!options.dmesg_pattern.empty())
    outcome.dmesg_line = matching_line(setup.console_log(), options.dmesg_pattern);

  fs::path logs = options.log_directory;
  if (logs.empty() && (outcome.exit_code() == ExitCode::dmesg || !outcome.message.empty()))
    logs = keep_logs(setup.logs);
  report(outcome, logs);
  write_results(options, outcome, logs);
  return outcome.exit_code();
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(parse_options(argc, argv));
  } catch (const std::exception& e) {
    fmt::print(stderr, "panthor-guest: {}\n", e.what());
    return ExitCode::lab;
  }
}
