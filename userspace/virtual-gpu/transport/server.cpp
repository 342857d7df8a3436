// SPDX-License-Identifier: MIT
#include "transport/server.hpp"

#include <sys/signalfd.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <optional>
#include <stdexcept>
#include <string>
#include <system_error>

#include "core/clock.hpp"
#include "core/event_log.hpp"
#include "device.hpp"
#include "transport/calendar.hpp"
#include "transport/control_commands.hpp"
#include "transport/control_socket.hpp"
#include "transport/guest_link.hpp"
#include "transport/irq_delivery.hpp"
#include "transport/peer_cpu_time.hpp"
#include "transport/reactor.hpp"
#include "transport/real_time_loop.hpp"
#include "transport/register_link.hpp"
#include "transport/unix_socket.hpp"
#include "transport/vhost_user.hpp"
#include "transport/virtual_time_loop.hpp"

namespace vgpu::transport {
namespace {

struct FileCloser {
  void operator()(std::FILE* file) const noexcept { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, FileCloser>;

File open_file(const std::string& path) {
  if (path.empty()) return nullptr;
  File file(std::fopen(path.c_str(), "we"));
  if (!file) throw std::system_error(errno, std::generic_category(), path);
  return file;
}

/// SIGTERM and SIGINT as a descriptor.
UniqueFd end_signals() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  ::sigprocmask(SIG_BLOCK, &signals, nullptr);
  std::signal(SIGPIPE, SIG_IGN);
  UniqueFd fd(::signalfd(-1, &signals, SFD_CLOEXEC));
  if (!fd) throw std::system_error(errno, std::generic_category(), "signalfd");
  return fd;
}

}  // namespace

struct Server::State {
  explicit State(const Options& o)
      : options(o),
        virtual_time(!o.time_socket.empty()),
        log_file(open_file(o.log)),
        summary_file(open_file(o.summary)),
        signals(end_signals()),
        log(virtual_time ? static_cast<const Clock&>(virtual_clock) : wall_clock),
        irqs(log),
        vhost(GuestLink::queue_count,
              virtual_time ? VhostUser::Notifications::in_band : VhostUser::Notifications::file_descriptors),
        device(vhost.memory(), irqs, virtual_time ? static_cast<const Clock&>(virtual_clock) : wall_clock,
               log, {.firmware = o.firmware, .log_register_writes = false}),
        commands(device.faults(), log,
                 {log_switch(), [this] { reactor.stop(); }, [this] { return guest_cpu_ns(); }}),
        registers(
            device, vhost.memory(), irqs, log,
            [this](std::string_view line) { return commands.execute(line, ControlCommands::Origin::guest); }),
        link(device, vhost, irqs, registers) {
    log.write_to(log_file.get());
    registers.log_accesses(o.log_registers);
    for (const std::string& spec : o.faults) device.faults().arm(FaultSpec::parse(spec));
    reactor.add(signals.get(), [this] { reactor.stop(); });
    listener.emplace(o.socket);
    if (virtual_time) time_listener.emplace(o.time_socket);
    if (!o.control.empty())
      control.emplace(o.control, reactor, [this](std::string_view line) {
        return commands.execute(line, ControlCommands::Origin::host);
      });
    if (o.ready_fd >= 0) {
      [[maybe_unused]] const ssize_t written = ::write(o.ready_fd, "\n", 1);
      ::close(o.ready_fd);
    }
  }

  std::function<void(bool)> log_switch() {
    if (!log_file) return nullptr;
    return [this](bool on) { log.write_to(on ? log_file.get() : nullptr); };
  }

  uint64_t guest_cpu_ns() const {
    if (!guest_cpu) throw std::runtime_error("there is no guest yet");
    return guest_cpu->ns();
  }

  Options options;
  bool virtual_time;
  File log_file, summary_file;
  UniqueFd signals;
  Reactor reactor;
  WallClock wall_clock;
  VirtualClock virtual_clock;
  EventLog log;
  IrqDelivery irqs;
  VhostUser vhost;
  Device device;
  ControlCommands commands;
  RegisterLink registers;
  GuestLink link;
  std::optional<PeerCpuTime> guest_cpu;
  Calendar calendar{virtual_clock};
  std::optional<UnixListener> listener, time_listener;
  std::optional<ControlSocket> control;
};

Server::Server(const Options& options) : state_(std::make_unique<State>(options)) {}
Server::~Server() = default;

void Server::run() {
  State& s = *state_;
  s.reactor.add(s.listener->fd(), [&s] {
    UniqueFd connection = s.listener->accept();
    s.guest_cpu.emplace(connection.get());
    s.link.connect(std::move(connection), s.reactor);
    s.reactor.remove(s.listener->fd());
  });
  if (!s.virtual_time) {
    RealTimeLoop(s.link, s.reactor, s.wall_clock, s.options.spin, [&s] {
      if (s.log_file) std::fflush(s.log_file.get());
    }).run();
    return;
  }
  s.reactor.add(s.time_listener->fd(), [&s] {
    s.calendar.connect(s.time_listener->accept());
    s.reactor.remove(s.time_listener->fd());
  });
  while (!s.calendar.connected() && !s.reactor.stopped()) s.reactor.poll(std::nullopt);
  if (s.calendar.connected())
    VirtualTimeLoop(s.link, s.calendar, s.reactor, s.virtual_clock, {.pace = s.options.pace}).run();
}

void Server::write_summary() {
  if (state_->log_file) std::fflush(state_->log_file.get());
  if (!state_->summary_file) return;
  state_->log.write_summary(state_->summary_file.get());
  std::fflush(state_->summary_file.get());
}

}  // namespace vgpu::transport
