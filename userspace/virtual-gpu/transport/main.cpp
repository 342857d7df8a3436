// SPDX-License-Identifier: MIT
// panthor-vgpu: the virtual Mali-G610 behind a vhost-user socket.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <optional>
#include <system_error>

#include "faults/fault_injector.hpp"
#include "firmware/image.hpp"
#include "transport/options.hpp"
#include "transport/protocol_error.hpp"
#include "transport/server.hpp"

namespace {

using vgpu::transport::ExitCode;
using vgpu::transport::Options;

int list_faults() {
  for (const vgpu::FaultKind& kind : vgpu::fault_catalogue()) fmt::print("{}\n", catalogue_line(kind));
  return ExitCode::ok;
}

void add_options(CLI::App& app, Options& options, long& spin_us) {
  app.add_option("--socket", options.socket, "listen for the guest's vhost-user connection here");
  app.add_option("--time-socket", options.time_socket,
                 "run in virtual time, as the guest's calendar on this socket");
  app.add_option("--control", options.control, "take control commands on this socket (\"help\" lists them)");
  app.add_option("--fault", options.faults,
                 "arm a fault: NAME[:only=WORD][:ms=N][:after=N][:count=N]; may be repeated")
      ->allow_extra_args(false);
  app.add_flag("--list-faults", options.list_faults, "print the catalogue of faults and exit");
  app.add_option("--log", options.log, "write the event log here");
  app.add_flag("--log-registers", options.log_registers, "log every register access that reaches the device");
  app.add_option("--summary", options.summary, "write the counters here at the end");
  app.add_option("--firmware", options.firmware, "check what the guest loads against this mali_csffw.bin")
      ->check(CLI::ExistingFile);
  app.add_option("--spin-us", spin_us, "real time: spin so long after an activity before sleeping")
      ->check(CLI::Range(0, 1'000'000))
      ->capture_default_str();
  app.add_flag("--pace", options.pace, "virtual time: never run ahead of the host's clock");
  app.add_option("--ready-fd", options.ready_fd,
                 "write one byte to this descriptor when the sockets are there");
  app.footer(
      "Exit codes: 0 the guest left or the model was told to end, 1 internal failure, 2 usage,\n"
      "3 the guest broke the protocol, 4 a socket or file could not be made.");
}

int serve(const Options& options) {
  std::optional<vgpu::transport::Server> server;
  try {
    server.emplace(options);
  } catch (const vgpu::FaultSpecError& e) {
    fmt::print(stderr, "panthor-vgpu: --fault: {}\n", e.what());
    return ExitCode::usage;
  } catch (const vgpu::fw::ImageError& e) {
    fmt::print(stderr, "panthor-vgpu: --firmware: {}\n", e.what());
    return ExitCode::usage;
  } catch (const std::system_error& e) {
    fmt::print(stderr, "panthor-vgpu: {}\n", e.what());
    return ExitCode::cannot_listen;
  }

  int code = ExitCode::ok;
  try {
    server->run();
  } catch (const vgpu::transport::ProtocolError& e) {
    fmt::print(stderr, "panthor-vgpu: the guest broke the protocol: {}\n", e.what());
    code = ExitCode::protocol;
  } catch (const std::exception& e) {
    fmt::print(stderr, "panthor-vgpu: {}\n", e.what());
    code = ExitCode::internal;
  }
  server->write_summary();
  return code;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"The virtual Mali-G610: a GPU model behind a vhost-user socket, for a User-Mode Linux guest."};
  Options options;
  long spin_us = options.spin.count();
  add_options(app, options, spin_us);
  try {
    app.parse(argc, argv);
    if (!options.list_faults && options.socket.empty()) throw CLI::RequiredError("--socket");
  } catch (const CLI::ParseError& e) {
    return app.exit(e) == 0 ? ExitCode::ok : ExitCode::usage;
  }
  options.spin = std::chrono::microseconds(spin_us);
  return options.list_faults ? list_faults() : serve(options);
}
