// SPDX-License-Identifier: MIT
// panthor-guest-agent: the first process of a UML guest. Builds the root, loads the modules, runs one
// command, and relays its streams over a serial line to the supervisor on the host. Then the guest powers
// off.
#include <fcntl.h>
#include <sys/reboot.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <ctime>
#include <exception>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>

#include "agent/command.hpp"
#include "agent/line.hpp"
#include "agent/modules.hpp"
#include "agent/root.hpp"
#include "agent/session.hpp"
#include "channel/frames.hpp"
#include "channel/job.hpp"

namespace {

using namespace guests;
using namespace guests::agent;

Job read_job() {
  std::ifstream file("/job.json");
  return job_from_json({std::istreambuf_iterator<char>(file), {}});
}

/// Ends every other process, so that the GPU is closed before the machine goes down. A process that does not
/// die within a second of guest time stays: the kernel log shows it.
void end_processes() {
  ::kill(-1, SIGTERM);
  ::kill(-1, SIGKILL);
  for (int tries = 0; tries < 100 && ::waitpid(-1, nullptr, WNOHANG) >= 0; ++tries) {
    const timespec pause{0, 10'000'000};
    ::nanosleep(&pause, nullptr);
  }
}

int run_job(Line& line) {
  const Job job = read_job();
  UniqueFd input_file(::open("/stdin", O_RDONLY | O_CLOEXEC));
  const Modules modules(job.modules);
  enter_root(job, [&](const std::string& text) { line.send(FrameType::warning, text); });
  modules.load();
  block_child_signals();
  Command command = start_command(job, std::move(input_file));
  line.send(FrameType::started);
  return Session(line, job, std::move(command)).run();
}

}  // namespace

int main() {
  std::optional<Line> line;
  try {
    mount_first_devices();
    line.emplace("/dev/ttyS0");
    line->send(FrameType::up);
    const int status = run_job(*line);
    end_processes();
    line->send(FrameType::exited, encode_u32({static_cast<uint32_t>(status)}));
  } catch (const std::exception& e) {
    try {
      if (line) line->send(FrameType::failed, e.what());
    } catch (const std::exception&) {
      // The supervisor sees the guest end without a result.
    }
  }
  if (line) line->drain();
  ::sync();
  ::reboot(RB_POWER_OFF);
  return 0;
}
