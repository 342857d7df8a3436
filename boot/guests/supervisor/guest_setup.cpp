// SPDX-License-Identifier: MIT
#include "supervisor/guest_setup.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <set>
#include <stdexcept>

#include "supervisor/kernel_modules.hpp"
#include "supervisor/run_directory.hpp"

namespace guests {
namespace {

namespace fs = std::filesystem;

/// The virtio device id of the virtual GPU: PANTHOR_VGPU_VIRTIO_ID in kernel-patches/lab/panthor_vgpu_wire.h.
constexpr int vgpu_virtio_id = 1235;

constexpr std::array first_root_directories{"dev", "lower", "upper", "newroot", "modules", "uml"};

/// In loading order; modinfo adds what these depend on. panthor asks for the governor by name only.
const std::vector<std::string> driver_modules{"governor_simpleondemand", "panthor", "panthor_vgpu"};

/// Milliseconds of guest time between looks at the line, where a sleeping guest would not notice it.
constexpr uint32_t virtual_time_poll_ms = 10;

std::string module_parameters(const Options& options, const std::string& module) {
  std::string text;
  for (const std::string& parameter : options.module_parameters) {
    const size_t dot = parameter.find('.');
    std::string name = parameter.substr(0, dot);
    std::replace(name.begin(), name.end(), '-', '_');
    if (name == module) text += (text.empty() ? "" : " ") + parameter.substr(dot + 1);
  }
  return text;
}

std::vector<fs::path> module_files(const Options& options) {
  KernelModules modules(options.modules);
  if (!options.vgpu_module.empty()) modules.add(options.vgpu_module);
  if (options.no_driver) return {};
  for (const char* needed : {"panthor", "panthor_vgpu"})
    if (!modules.contains(needed))
      throw UsageError(fmt::format("{}.ko is not below {}", needed, options.modules));
  return modules.closure(driver_modules);
}

std::vector<std::string> environment(const Options& options) {
  std::vector<std::string> variables{"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
                                     "HOME=/root", "LANG=C.UTF-8", "XDG_RUNTIME_DIR=/run"};
  const char* terminal = std::getenv("TERM");
  if (options.terminal) variables.push_back(fmt::format("TERM={}", terminal ? terminal : "linux"));
  variables.insert(variables.end(), options.environment.begin(), options.environment.end());
  return variables;
}

void copy_standard_input(const fs::path& to) {
  std::ofstream file(to, std::ios::binary);
  std::array<char, 65536> buffer{};
  for (ssize_t got; (got = ::read(0, buffer.data(), buffer.size())) > 0;) file.write(buffer.data(), got);
}

}  // namespace

Job::Bind parse_bind(const std::string& text) {
  Job::Bind bind;
  std::string rest = text;
  for (const char* mode : {":ro", ":rw"}) {
    if (!rest.ends_with(mode)) continue;
    bind.read_only = mode[2] == 'o';
    rest.resize(rest.size() - 3);
    break;
  }
  const size_t colon = rest.find(':');
  const fs::path host = rest.substr(0, colon);
  if (host.empty() || !fs::is_directory(host)) throw UsageError("--bind " + text + ": no such directory");
  bind.host = fs::canonical(host).string();
  bind.guest =
      colon == std::string::npos ? bind.host : fs::path(rest.substr(colon + 1)).lexically_normal().string();
  if (bind.guest.empty() || bind.guest.front() != '/' || bind.guest == "/")
    throw UsageError("--bind " + text + ": the guest directory has to be absolute, and not the root");
  return bind;
}

void GuestSetup::prepare(const Options& options, Job::Input input) const {
  for (const char* name : first_root_directories) fs::create_directory(run / name);
  fs::copy_file(options.agent, run / "init");
  fs::permissions(run / "init", fs::perms::owner_all);
  fs::copy_file(options.dtb, run / "guest.dtb");

  Job job;
  job.command = options.command;
  job.environment = environment(options);
  job.directory = options.directory;
  job.rootfs = fs::canonical(options.rootfs).string();
  job.input = input;
  job.terminal = options.terminal;
  if (options.time == TimeMode::virtual_time && input == Job::Input::live) job.poll_ms = virtual_time_poll_ms;
  winsize size{};
  if (options.terminal && ::ioctl(0, TIOCGWINSZ, &size) == 0 && size.ws_row) {
    job.rows = size.ws_row;
    job.columns = size.ws_col;
  }
  for (const std::string& text : options.binds) job.binds.push_back(parse_bind(text));
  for (const fs::path& file : module_files(options)) {
    const fs::path copy = fs::path("/modules") / file.filename();
    fs::copy_file(file, run / copy.relative_path());
    job.modules.push_back({copy.string(), module_parameters(options, KernelModules::module_name(file))});
  }
  std::ofstream(run / "job.json") << to_json(job);
  if (input == Job::Input::file) copy_standard_input(run / "stdin");
}

Spawn GuestSetup::vgpu(const Options& options, int ready_fd) const {
  Spawn spawn;
  spawn.arguments = {options.vgpu,
                     "--socket",
                     "vgpu.sock",
                     "--control",
                     (run / "control.sock").string(),
                     "--summary",
                     (logs / "summary").string(),
                     "--log",
                     (logs / "model.log").string(),
                     "--ready-fd",
                     std::to_string(ready_fd)};
  const auto add = [&](std::initializer_list<std::string> words) {
    spawn.arguments.insert(spawn.arguments.end(), words.begin(), words.end());
  };
  if (options.time == TimeMode::virtual_time) add({"--time-socket", "time.sock"});
  if (options.log_registers) add({"--log-registers"});
  if (!options.firmware.empty()) add({"--firmware", options.firmware});
  for (const std::string& fault : options.faults) add({"--fault", fault});
  for (const std::string& argument : options.vgpu_arguments) add({argument});
  spawn.directory = run.string();
  spawn.output = spawn.error = vgpu_errors().string();
  spawn.keep = {ready_fd};
  return spawn;
}

Spawn GuestSetup::kernel(const Options& options, int serial_fd) const {
  Spawn spawn;
  spawn.arguments = {
      options.kernel,
      "mem=" + options.memory,
      "root=/dev/root",
      "rootfstype=hostfs",
      "rootflags=/proc/self/cwd",  // the run directory, by a name that is the same in every run
      "ro",
      "init=/init",
      "dtb=guest.dtb",
      fmt::format("virtio_uml.device=vgpu.sock:{}", vgpu_virtio_id),
      "con=null",
      "con0=fd:0,fd:1",
      "console=tty0",
      "ssl=null",
      fmt::format("ssl0=fd:{0},fd:{0}", serial_fd),
      "uml_dir=uml/",
      "umid=guest",
      "seccomp=on",
      "loglevel=7",
  };
  if (options.time == TimeMode::virtual_time) {
    spawn.arguments.insert(spawn.arguments.end(), {"time-travel=ext:time.sock", "norandmaps"});
  } else if (options.cpus > 1) {
    spawn.arguments.push_back(fmt::format("ncpus={}", options.cpus));
  }
  // What belongs to a module that is not loaded by us belongs to the kernel.
  std::set<std::string> loaded;
  for (const fs::path& file : module_files(options)) loaded.insert(KernelModules::module_name(file));
  for (const std::string& parameter : options.module_parameters) {
    std::string name = parameter.substr(0, parameter.find('.'));
    std::replace(name.begin(), name.end(), '-', '_');
    if (!loaded.contains(name)) spawn.arguments.push_back(parameter);
  }
  spawn.arguments.insert(spawn.arguments.end(), options.append.begin(), options.append.end());
  spawn.environment["TMPDIR"] = memory_directory(parse_size(options.memory)).string();
  spawn.directory = run.string();
  spawn.output = spawn.error = console_log().string();
  spawn.keep = {serial_fd};
  return spawn;
}

}  // namespace guests
