// SPDX-License-Identifier: MIT
#include "autopsy/collect.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <system_error>
#include <thread>

#include "panthor/device.hpp"

namespace harness::autopsy {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::string_view log_words[] = {
    "panthor", "[drm", "drm_sched", "mali", "dma_fence", "dma-fence", "blocked for more than",
    "iommu",   "genpd"};

double seconds(std::chrono::nanoseconds duration) {
  return std::chrono::duration<double>(duration).count();
}

void look_at_machine(const BoardTree& board, Facts& facts) {
  facts.release = board.text("/proc/sys/kernel/osrelease");
  facts.driver_loaded = board.exists("/sys/bus/platform/drivers/panthor");
  if (const auto node = find_gpu_node(board)) {
    facts.node = node->name;
    facts.driver = node->driver;
  }
  const std::string uptime = board.text("/proc/uptime");
  std::from_chars(uptime.data(), uptime.data() + uptime.size(), facts.uptime_s);
  Source source{"driver", facts.driver == "panthor", "", ""};
  source.note = facts.node.empty()    ? "no Mali among the platform devices"
                : source.seen         ? fmt::format("Linux {}, panthor on {}", facts.release, facts.node)
                : facts.driver_loaded ? fmt::format("panthor is loaded, but did not take {}", facts.node)
                                      : fmt::format("{} has the driver \"{}\"", facts.node, facts.driver);
  source.text = source.note + '\n';
  facts.sources.push_back(std::move(source));
}

void look_at_log(const BoardTree& board, Facts& facts) {
  Source source{"kernel log", false, "", ""};
  if (board.root == "/") {
    KernelLog log(KernelLog::From::boot);
    facts.log_readable = log.readable();
    for (KernelMessage& message : log.drain_messages())
      if (concerns_gpu(message.text)) facts.log.push_back(std::move(message));
  }
  source.seen = facts.log_readable;
  source.note = source.seen ? fmt::format("{} lines speak of the GPU", facts.log.size())
                            : "only root may read it (kernel.dmesg_restrict); try sudo";
  for (const KernelMessage& message : facts.log)
    source.text += fmt::format("[{:12.6f}] {}\n", message.seconds, message.text);
  facts.sources.push_back(std::move(source));
}

/// The dump before the window, and after it with its source.
void look_at_dumps(const BoardTree& board, Facts& facts) {
  DumpLook look = look_at_hang_dump(board);
  facts.dump = std::move(look.dump);
  facts.sources.push_back(std::move(look.source));
  for (DumpLook& core : look_at_coredumps(board)) {
    if (core.dump) facts.coredumps.push_back(std::move(*core.dump));
    facts.sources.push_back(std::move(core.source));
  }
  for (DebugFile& file : look_at_debug_files(board)) {
    if (file.blocked) facts.blocked_files.push_back(file.source.name);
    facts.sources.push_back(std::move(file.source));
  }
}

void look_at_interrupts(Facts& facts) {
  Source source{"interrupts", !facts.interrupts_after.empty(), "", ""};
  source.note = source.seen ? fmt::format("{} in {:.1f} s",
                                          describe_change(facts.interrupts_before, facts.interrupts_after),
                                          facts.window_s)
                            : "/proc/interrupts has no line of panthor";
  for (const auto& [name, count] : facts.interrupts_after) source.text += fmt::format("{} {}\n", name, count);
  facts.sources.push_back(std::move(source));
}

/// Threads of the kernel that did not move.
std::vector<Worker> standing_still(const Workers& before, const Workers& after) {
  std::vector<Worker> still;
  for (const Worker& worker : after.all)
    if (std::ranges::any_of(before.all, [&](const Worker& old) {
          return old.pid == worker.pid && old.stack == worker.stack;
        }))
      still.push_back(worker);
  return still;
}

/// The client of the thread that waits; without one, of the process that was asked for.
void look_at_the_client(Facts& facts) {
  const int pid = facts.waiter ? facts.waiter->pid : facts.options.pid;
  const auto process = std::ranges::find(facts.processes, pid, &GpuProcess::pid);
  if (pid == 0 || process == facts.processes.end() || process->render_fds.empty()) return;
  facts.client = look_at_client(*process, facts.waiter ? &facts.waiter->thread : nullptr);
  facts.sources.push_back(facts.client->source);
}

void probe(Facts& facts) {
  const auto rungs = all_rungs();
  Source source{"fresh job", false, "", ""};
  try {
    facts.probe = run_rung(find_rung(rungs, "memory-write"), panthor::Device::open_first().path(),
                           std::chrono::seconds(3));
    source.seen = true;
    source.note = facts.probe->passed() ? "a fresh process computes" : facts.probe->error;
  } catch (const std::system_error& error) {
    source.note = error.what();
  }
  facts.sources.push_back(std::move(source));
}

const Thread* same_thread(const std::vector<GpuProcess>& processes, int pid, const Thread& thread) {
  for (const GpuProcess& process : processes)
    for (const Thread& other : process.threads)
      if (process.pid == pid && other.snapshot.pid == thread.snapshot.pid) return &other;
  return nullptr;
}

/// Which of two waits to ask about: lower first.
int rank(Activity activity) {
  switch (activity) {
    case Activity::in_driver:
      return 0;
    case Activity::in_fence:
      return 1;
    case Activity::in_poll:
      return 2;
    case Activity::elsewhere:
      break;
  }
  return 3;
}

}  // namespace

std::vector<KernelMessage> Facts::recent_log() const {
  std::vector<KernelMessage> recent;
  for (const KernelMessage& message : log)
    if (message.seconds >= uptime_s - seconds(options.log_age)) recent.push_back(message);
  return recent;
}

std::optional<uint64_t> Facts::interrupts(const std::string& line) const {
  const auto after = interrupts_after.find("panthor-" + line);
  const auto before = interrupts_before.find("panthor-" + line);
  if (after == interrupts_after.end() || before == interrupts_before.end()) return std::nullopt;
  return after->second - before->second;
}

bool concerns_gpu(const std::string& line) {
  return std::ranges::any_of(log_words,
                             [&](std::string_view word) { return line.find(word) != std::string::npos; });
}

std::optional<Waiter> pick_waiter(const std::vector<GpuProcess>& before, const std::vector<GpuProcess>& after,
                                  double window_s, const Options& options) {
  std::optional<Waiter> best;
  for (const GpuProcess& process : after) {
    for (const Thread& thread : process.threads) {
      if (thread.activity == Activity::elsewhere) continue;
      if (thread.activity == Activity::in_poll && process.sync_fds.empty()) continue;  // for something else
      const Thread* old = same_thread(before, process.pid, thread);
      if (old == nullptr || old->switches != thread.switches || old->activity != thread.activity) continue;
      const double waited = std::max(thread.asleep_s.value_or(0), window_s);
      if (waited < seconds(options.after)) continue;
      Waiter waiter{process.pid, process.comm, thread, waited, thread.asleep_s.has_value()};
      if (!best || rank(thread.activity) < rank(best->thread.activity) ||
          (rank(thread.activity) == rank(best->thread.activity) && waited > best->seconds))
        best = std::move(waiter);
    }
  }
  return best;
}

Facts collect(const BoardTree& board, const Options& options, const Tracer* tracer) {
  Facts facts;
  facts.options = options;
  look_at_machine(board, facts);
  const auto begin = Clock::now();
  const Processes before = look_at_processes(board, options.pid, ::getpid());
  const Workers workers_before = look_at_workers(board);
  facts.interrupts_before = read_interrupts(board.root);
  facts.power_before = look_at_power(board).power;
  facts.dump_before = look_at_hang_dump(board).dump;
  std::this_thread::sleep_until(begin + options.window);

  Processes after = look_at_processes(board, options.pid, ::getpid());
  facts.window_s = seconds(Clock::now() - begin);
  Workers workers_after = look_at_workers(board);
  facts.interrupts_after = read_interrupts(board.root);
  PowerLook power = look_at_power(board);
  facts.power_after = power.power;
  facts.workers = standing_still(workers_before, workers_after);
  facts.waiter = pick_waiter(before.all, after.all, facts.window_s, options);
  facts.processes = std::move(after.all);
  facts.sources.push_back(std::move(after.source));
  look_at_dumps(board, facts);
  if (board.root == "/") look_at_the_client(facts);
  facts.sources.push_back(std::move(workers_after.source));
  look_at_interrupts(facts);
  facts.sources.push_back(std::move(power.source));
  facts.sources.push_back(std::move(power.clocks));
  look_at_log(board, facts);
  if (tracer != nullptr) {
    TraceLook trace = tracer->look();
    facts.trace = std::move(trace.log);
    facts.sources.push_back(std::move(trace.source));
  } else {
    facts.sources.push_back(
        Source::unseen("trace", "it must run before the hang: autopsy --watch, then start the work"));
  }
  if (options.probe && board.root == "/") probe(facts);
  return facts;
}

}  // namespace harness::autopsy
