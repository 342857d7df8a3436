// SPDX-License-Identifier: MIT
#include "supervisor/options.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <regex>

namespace guests {
namespace {

namespace fs = std::filesystem;

const std::map<std::string, TimeMode> time_modes{{"virtual", TimeMode::virtual_time},
                                                 {"wall", TimeMode::wall}};
const std::map<std::string, InputMode> input_modes{
    {"auto", InputMode::automatic}, {"none", InputMode::none}, {"live", InputMode::live}};

constexpr const char* footer =
    "Exit status: the command's own (128 + N for a signal N); 123 it succeeded but --fail-on-dmesg matched;\n"
    "124 the deadline passed; 125 the lab itself failed, with one line on standard error that says how.";

void add_options(CLI::App& app, Options& o, long& timeout, long& boot_timeout, bool& no_stdin) {
  app.add_option("--kernel", o.kernel, "the UML kernel, an executable called linux")
      ->required()
      ->check(CLI::ExistingFile);
  app.add_option("--modules", o.modules, "directory with its modules: flat, or a kernel build directory")
      ->required()
      ->check(CLI::ExistingDirectory);
  app.add_option("--vgpu-module", o.vgpu_module, "panthor_vgpu.ko, if it is not in --modules")
      ->check(CLI::ExistingFile);
  app.add_option("--rootfs", o.rootfs, "the guest's root directory; it is never written to")
      ->required()
      ->check(CLI::ExistingDirectory);
  app.add_option("--dtb", o.dtb, "device tree (mali.dtb)")->required()->check(CLI::ExistingFile);
  app.add_option("--vgpu", o.vgpu, "the panthor-vgpu program")->required()->check(CLI::ExistingFile);
  app.add_option("--agent", o.agent, "the panthor-guest-agent program (default: beside this one)")
      ->check(CLI::ExistingFile);
  app.add_option("--time", o.time, "wall, or virtual: deterministic, the host's load cannot cause timeouts")
      ->take_last()
      ->transform(CLI::CheckedTransformer(time_modes));
  app.add_option("--cpus", o.cpus, "guest CPUs; more than one needs an SMP kernel and wall time")
      ->check(CLI::Range(1, 64));
  app.add_option("--mem", o.memory, "guest memory, as 512M or 2G")->capture_default_str();
  app.add_option("--fault", o.faults, "arm a fault of the model: NAME[:after=N][:count=N]")
      ->allow_extra_args(false);
  app.add_option("--bind", o.binds, "make a host directory visible: HOSTDIR[:GUESTDIR][:ro]")
      ->allow_extra_args(false);
  app.add_option("--modparam", o.module_parameters, "kernel module parameter: MODULE.KEY=VALUE")
      ->allow_extra_args(false);
  app.add_option("--env", o.environment, "variable for the command: NAME=VALUE")->allow_extra_args(false);
  app.add_option("--chdir", o.directory, "the command's working directory in the guest")
      ->capture_default_str();
  app.add_option("--append", o.append, "kernel command line argument")->allow_extra_args(false);
  app.add_option("--firmware", o.firmware, "let the model check what is loaded against this mali_csffw.bin")
      ->check(CLI::ExistingFile);
  app.add_option("--vgpu-arg", o.vgpu_arguments, "argument for panthor-vgpu")->allow_extra_args(false);
  app.add_flag("--log-registers", o.log_registers, "log register accesses that reach the model");
  app.add_option("--timeout", timeout, "end everything after so many seconds of the host (0: never)")
      ->check(CLI::NonNegativeNumber);
  app.add_option("--boot-timeout", boot_timeout, "the command must have started by then, seconds of the host")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_option("--fail-on-dmesg", o.dmesg_pattern,
                 "fail when a line of the kernel log matches this ECMAScript regular expression");
  app.add_option("--log", o.log_directory,
                 "keep console.log, model.log, model.err, summary and result.json here");
  app.add_option("--result", o.result_file, "write the result here, as JSON");
  app.add_flag("--no-driver", o.no_driver, "do not load panthor, nor what it needs");
  app.add_flag("-t,--tty", o.terminal, "run the command on a terminal");
  app.add_option("--stdin", o.input, "auto, none, or live")->transform(CLI::CheckedTransformer(input_modes));
  app.add_flag("-n,--no-stdin", no_stdin, "the command's standard input is empty");
  app.add_option("command", o.command, "what to run in the guest")->required();
  app.positionals_at_end();
  app.footer(footer);
}

void make_absolute(std::string& path) {
  if (!path.empty()) path = fs::absolute(path).lexically_normal().string();
}

void check(const Options& o) {
  if (o.cpus > 1 && o.time == TimeMode::virtual_time) throw UsageError("--cpus needs --time wall");
  if (::access(o.kernel.c_str(), X_OK) != 0) throw UsageError(o.kernel + " is not executable");
  if (::access(o.vgpu.c_str(), X_OK) != 0) throw UsageError(o.vgpu + " is not executable");
  if (o.agent.empty()) throw UsageError("panthor-guest-agent is not beside this program: use --agent");
  if (!std::regex_match(o.memory, std::regex("[1-9][0-9]*[KMG]?"))) throw UsageError("--mem " + o.memory);
  if (o.directory.empty() || o.directory.front() != '/') throw UsageError("--chdir wants an absolute path");
  for (const std::string& p : o.module_parameters)
    if (!std::regex_match(p, std::regex("[A-Za-z0-9_-]+\\.[A-Za-z0-9_-]+(=.*)?")))
      throw UsageError("--modparam " + p);
  for (const std::string& e : o.environment)
    if (e.find('=') == 0 || e.find('=') == std::string::npos) throw UsageError("--env " + e);
  try {
    if (!o.dmesg_pattern.empty()) (void)std::regex(o.dmesg_pattern);
  } catch (const std::regex_error& e) {
    throw UsageError(fmt::format("--fail-on-dmesg: {}", e.what()));
  }
}

}  // namespace

Options parse_options(int argc, char** argv) {
  Options o;
  long timeout = -1, boot_timeout = o.boot_timeout.count();
  bool no_stdin = false;
  CLI::App app{
      "Boot a User-Mode Linux guest with a virtual Mali-G610, run one command in it, and power it off."};
  add_options(app, o, timeout, boot_timeout, no_stdin);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& e) {
    std::exit(app.exit(e));
  } catch (const CLI::ParseError& e) {
    throw UsageError(e.what());
  }
  if (no_stdin) o.input = InputMode::none;
  o.timeout = std::chrono::seconds(timeout >= 0 ? timeout : o.terminal ? 0 : 600);
  o.boot_timeout = std::chrono::seconds(boot_timeout);
  for (std::string* path : {&o.kernel, &o.modules, &o.vgpu_module, &o.rootfs, &o.dtb, &o.vgpu, &o.agent,
                            &o.log_directory, &o.result_file, &o.firmware})
    make_absolute(*path);
  if (o.agent.empty()) {
    const fs::path beside = fs::read_symlink("/proc/self/exe").parent_path() / "panthor-guest-agent";
    if (fs::exists(beside)) o.agent = beside.string();
  }
  check(o);
  return o;
}

}  // namespace guests
