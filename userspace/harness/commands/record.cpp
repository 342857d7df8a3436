// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <memory>
#include <system_error>

#include "commands/commands.hpp"
#include "exit_code.hpp"
#include "listing/summary.hpp"
#include "recordings/recording_file.hpp"

namespace harness {
namespace {

namespace fs = std::filesystem;

struct Options {
  std::string file = "panthor.rec";
  std::vector<std::string> command;
  uint64_t max_content_mib = 64;
  bool with_command_line = false;
  bool force = false;
};

constexpr const char* footer =
    "Examples:\n"
    "  panthor-harness record -- llama-cli -m model.gguf -ngl 99 -p hello\n"
    "  panthor-harness record -o hang.rec --max-content 16 -- ./vulkan-program\n"
    "  panthor-harness replay --info hang.rec\n"
    "The file has the panthor and syncobj ioctls with their results, thread numbers, times, and what the "
    "program\n"
    "wrote into mapped buffers; driver version, GPU id, kernel release. It has no host name, no environment, "
    "and no\n"
    "command line without --with-cmdline. Buffers can hold what the program works on: think before you send "
    "it.\n"
    "A killed program leaves a recording that is whole up to its last submit or wait.\n"
    "A forked child, and a program it executes, records what it opens itself into FILE.PID.\n"
    "Cost: a comparison of all mapped buffers (up to --max-content each) at every submit, bind and sleeping "
    "wait.\n"
    "Exit codes:\n"
    "  as the program (128 + N when signal N killed it)\n"
    "  2   usage\n"
    "  77  the program opened no panthor node: nothing was recorded\n";

/// Beside this program as built, or below lib as installed.
fs::path find_recorder() {
  const fs::path here = fs::read_symlink("/proc/self/exe").parent_path();
  for (const fs::path& candidate : {here / "libpanthor-record.so", here / "../recording/libpanthor-record.so",
                                    here / ".." / PANTHOR_LAB_LIBDIR / "panthor-lab/libpanthor-record.so"})
    if (fs::exists(candidate)) return fs::canonical(candidate);
  throw std::runtime_error("libpanthor-record.so is neither beside " + here.string() +
                           "/panthor-harness nor in " +
                           (here / ".." / PANTHOR_LAB_LIBDIR / "panthor-lab").lexically_normal().string());
}

[[noreturn]] void execute(const Options& options, const fs::path& recorder) {
  const char* others = ::getenv("LD_PRELOAD");
  const std::string preload = others != nullptr && others[0] != 0
                                  ? fmt::format("{}:{}", recorder.string(), others)
                                  : recorder.string();
  ::setenv("LD_PRELOAD", preload.c_str(), 1);
  ::setenv("PANTHOR_RECORD_FILE", fs::absolute(options.file).c_str(), 1);
  ::setenv("PANTHOR_RECORD_MAX_CONTENT", std::to_string(options.max_content_mib << 20).c_str(), 1);
  ::setenv("PANTHOR_RECORD_CMDLINE", options.with_command_line ? "1" : "0", 1);
  std::vector<char*> arguments;
  for (const std::string& word : options.command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  ::execvp(arguments[0], arguments.data());
  const int error = errno;
  fmt::print(stderr, "panthor-harness: {}: {}\n", options.command[0], std::strerror(error));
  ::_exit(error == ENOENT ? 127 : 126);  // as shells do
}

int wait_for(pid_t child) {
  // Ctrl-C is for the program; what it left is reported all the same.
  ::signal(SIGINT, SIG_IGN);
  ::signal(SIGQUIT, SIG_IGN);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

int record(const Options& options) {
  const fs::path recorder = find_recorder();
  if (fs::exists(options.file)) {
    if (!options.force)
      throw CLI::ValidationError("--output",
                                 options.file + " exists; --force overwrites it, -o names another");
    fs::remove(options.file);
  }
  std::fflush(nullptr);
  const pid_t child = ::fork();
  if (child < 0) throw std::system_error(errno, std::generic_category(), "fork");
  if (child == 0) execute(options, recorder);
  const int status = wait_for(child);
  if (!fs::exists(options.file)) {
    fmt::print(stderr,
               "panthor-harness: {} opened no panthor node (or is static or set-uid): nothing was recorded; "
               "it ended "
               "with {}\n",
               options.command[0], status);
    return status == 126 || status == 127 ? status : exit_no_device;
  }
  const RecordingFile file(options.file);
  recording::Reader reader = file.reader();
  const recording::Summary summary = summarize(reader);
  fmt::print(stderr, "panthor-harness: recorded {} ioctls, {} of them submits, in {} ({:.1f} KiB){}\n",
             summary.calls, summary.submits, options.file, static_cast<double>(file.bytes().size()) / 1024,
             summary.ended ? "" : "; the program did not end by itself");
  for (const std::string& call : summary.unfinished)
    fmt::print(stderr, "panthor-harness: did not return: {}\n", call);
  return status;
}

}  // namespace

void add_record(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<Options>();
  CLI::App* command =
      app.add_subcommand("record", "Run a program and record what it does with panthor, for replay");
  command->footer(footer);
  command->add_option("-o,--output", options->file, "File to write")->capture_default_str();
  command
      ->add_option("--max-content", options->max_content_mib,
                   "MiB; larger mappings (model weights) are recorded without their contents")
      ->capture_default_str()
      ->check(CLI::Range(0, 1 << 20));
  command->add_flag("--with-cmdline", options->with_command_line, "Put the command line into the recording");
  command->add_flag("-f,--force", options->force, "Overwrite the file");
  command->add_option("command", options->command, "-- PROGRAM ARGS...")->required();
  command->callback([options, &exit_code] { exit_code = record(*options); });
}

}  // namespace harness
