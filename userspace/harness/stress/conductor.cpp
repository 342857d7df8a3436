// SPDX-License-Identifier: MIT
#include "stress/conductor.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <thread>

#include "board/gpu_users.hpp"

namespace harness {
namespace {

using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

constexpr uint64_t check_every = 16;
constexpr size_t most_wedges = 10;
constexpr size_t recent_lines = 40;
constexpr size_t most_warnings = 20;
constexpr auto poll_interval = 1ms;
/// A reset, and the time-outs of groups that were on the GPU.
constexpr auto recovery_takes = 10s;
constexpr unsigned recovery_attempts = 3;
constexpr std::string_view fresh_rung = "memory-write";
constexpr std::string_view warning_marks[] = {"WARNING:", "BUG:", "Oops", "general protection",
                                              "blocked for more"};

}  // namespace

Conductor::Conductor(const StressOptions& options)
    : options_(options),
      plan_(options.plan),
      workers_(options.plan.processes),
      interrupts_(read_interrupts()),
      memory_(read_memory_state()),
      checked_(options.first_step - 1) {
  result_.kernel_log_readable = log_.readable();
  if (options.plan.suspend && !power_.may_suspend()) {
    forbid_suspend_again_ = power_.let_suspend(true);
    if (!power_.may_suspend())
      result_.no_suspend = "power/control of the GPU is not \"auto\", and only root may change that";
  }
  const auto users = gpu_users({}, ::getpid());
  exclusive_ = users && users->empty();
  for (unsigned slot = 0; slot < workers_.size(); ++slot) start(options.first_step, slot);
}

Conductor::~Conductor() {
  workers_.clear();
  if (forbid_suspend_again_) (void)power_.let_suspend(false);
}

void Conductor::start(uint64_t number, unsigned slot) {
  workers_[slot].emplace(plan_.worker(number, slot), options_.node, options_.deadline);
}

bool Conductor::step(uint64_t number) {
  const StressStep step = plan_.step(number);
  squeeze(number, step);
  bool goes_on = step.gap ? leave_alone(number, *step.gap) : kill_one(number, step);
  goes_on = goes_on && look_around(number);
  if (goes_on && number % check_every == 0) goes_on = check(number);
  ++result_.steps;
  return goes_on;
}

bool Conductor::kill_one(uint64_t number, const StressStep& step) {
  StressWorker& worker = *workers_[step.slot];
  const auto end = Clock::now() + options_.deadline;
  while (step.mid_job && worker.plan().part->submits && !worker.has_submitted() && !worker.ended()) {
    if (Clock::now() >= end)
      return wedge(number, step.slot, worker.describe("does not get to its first job"));
    std::this_thread::sleep_for(poll_interval);
  }
  std::this_thread::sleep_for(step.delay);
  if (!bury(number, step.slot)) return false;
  start(number + 1, step.slot);
  return true;
}

bool Conductor::bury(uint64_t number, unsigned slot) {
  StressWorker& worker = *workers_[slot];
  result_.own_deaths += worker.ended();
  const auto start = Clock::now();
  const bool died = worker.kill(options_.deadline);
  result_.slowest_death = std::max<std::chrono::nanoseconds>(result_.slowest_death, Clock::now() - start);
  ++result_.kills;
  result_.mid_job += worker.in_flight();
  if (!died) {
    RungResult stuck = worker.describe("does not die of SIGKILL");
    stuck.evidence.abandoned = true;
    return wedge(number, slot, std::move(stuck));
  }
  if (worker.failed() && !forgive(slot)) return wedge(number, slot, worker.describe({}));
  return true;
}

bool Conductor::kill_all(uint64_t number) {
  for (unsigned slot = 0; slot < workers_.size(); ++slot)
    if (!bury(number, slot)) return false;
  return true;
}

bool Conductor::leave_alone(uint64_t number, std::chrono::milliseconds gap) {
  if (!kill_all(number)) return false;
  hog_.reset();
  ++result_.gaps;
  std::this_thread::sleep_for(gap);
  // Unless somebody else may use it, a GPU nobody uses suspends.
  const bool suspended = exclusive_ && result_.no_suspend.empty() ? power_.wait_suspended(options_.deadline)
                                                                  : power_.suspended();
  result_.suspends += suspended;
  if (!suspended && exclusive_ && result_.no_suspend.empty()) {
    RungResult awake;
    awake.name = "suspend";
    awake.description = "A GPU nobody uses suspends";
    awake.waiting_for = "power/runtime_status to be \"suspended\"";
    awake.error = "the GPU is idle, but does not suspend";
    awake.stage = Stage::no_slot;
    return wedge(number, 0, std::move(awake));
  }
  for (unsigned slot = 0; slot < workers_.size(); ++slot) start(number + 1, slot);
  return true;
}

bool Conductor::look_around(uint64_t number) {
  for (unsigned slot = 0; slot < workers_.size(); ++slot) {
    if (!workers_[slot]->failed()) continue;
    (void)workers_[slot]->kill(options_.deadline);
    if (!forgive(slot)) return wedge(number, slot, workers_[slot]->describe({}));
    start(number + 1, slot);
  }
  return true;
}

/// A call that was refused for lack of memory is what memory pressure is for.
bool Conductor::forgive(unsigned slot) {
  if (!options_.plan.memory_pressure || workers_[slot]->error() != ENOMEM) return false;
  ++result_.out_of_memory;
  return true;
}

void Conductor::squeeze(uint64_t number, const StressStep& step) {
  if (hog_ && number >= hog_until_) hog_.reset();
  if (step.hog == 0) return;
  hog_.reset();
  const MemoryState now = read_memory_state();
  hog_.emplace(static_cast<uint64_t>(step.hog * static_cast<double>(now.available)) +
               (now.swap_free != 0 ? now.available / 4 : 0));
  hog_until_ = number + Plan::hog_steps;
  ++result_.hogs;
}

RungResult Conductor::try_afresh() {
  const auto rungs = all_rungs();
  const auto start = Clock::now();
  RungResult fresh = run_rung(find_rung(rungs, fresh_rung), options_.node, options_.deadline);
  ++result_.checks;
  if (fresh.passed())
    result_.slowest_check = std::max<std::chrono::nanoseconds>(result_.slowest_check, Clock::now() - start);
  return fresh;
}

bool Conductor::check(uint64_t number) {
  read_log();
  RungResult fresh = try_afresh();
  const bool no_memory = hog_ && fresh.evidence.facts.error == ENOMEM;
  result_.out_of_memory += no_memory;
  if (!fresh.passed() && !no_memory) {
    fresh.error = "a fresh process: " + fresh.error;
    return wedge(number, 0, std::move(fresh));
  }
  checked_ = number;
  return true;
}

bool Conductor::wedge(uint64_t number, unsigned slot, RungResult what) {
  read_log();
  what.evidence.kernel_log = recent_log_;
  what.evidence.kernel_log_readable = log_.readable();
  what.evidence.interrupts = describe_change(interrupts_, read_interrupts());
  if (what.outcome != RungBoard::Outcome::running) what.stage = infer_stage(what.evidence, what.stage);
  what.outcome = RungBoard::Outcome::failed;

  // With everybody gone, does the GPU come back?
  hog_.reset();
  for (auto& worker : workers_)
    if (worker) (void)worker->kill(recovery_takes);
  Wedge wedge{.step = number, .slot = slot, .checked = checked_, .what = std::move(what)};
  for (unsigned attempt = 0; attempt < recovery_attempts && !wedge.recovered; ++attempt) {
    if (attempt != 0) std::this_thread::sleep_for(recovery_takes);
    const RungResult fresh = try_afresh();
    wedge.recovered = fresh.passed();
    wedge.what.evidence.fresh_process = fresh.passed() ? std::string() : fresh.error;
    wedge.what.evidence.fresh_facts = fresh.evidence.facts;
  }
  const bool goes_on = wedge.recovered && result_.wedges.size() + 1 < most_wedges;
  result_.wedges.push_back(std::move(wedge));
  if (goes_on)
    for (unsigned slot_again = 0; slot_again < workers_.size(); ++slot_again) start(number + 1, slot_again);
  return goes_on;
}

void Conductor::read_log() {
  for (std::string& line : log_.drain()) {
    const bool warning = std::ranges::any_of(
        warning_marks, [&](std::string_view mark) { return line.find(mark) != std::string::npos; });
    if (warning && result_.warnings.size() < most_warnings) result_.warnings.push_back(line);
    recent_log_.push_back(std::move(line));
  }
  if (recent_log_.size() > recent_lines)
    recent_log_.erase(recent_log_.begin(), recent_log_.end() - recent_lines);
}

void Conductor::finish() {
  hog_.reset();
  for (auto& worker : workers_)
    if (worker) (void)worker->kill(options_.deadline);  // what does not die is left behind
  const RungResult fresh = try_afresh();
  result_.computes_at_end = fresh.passed();
  result_.swapped_out = read_memory_state().swapped_out - memory_.swapped_out;
  read_log();
}

StressResult run_stress(const StressOptions& options,
                        const std::function<void(const StressResult&)>& progress) {
  Conductor conductor(options);
  const auto start = Clock::now();
  const auto goes_on = [&] {
    return (options.kills == 0 || conductor.result().kills < options.kills) &&
           (options.duration.count() == 0 || Clock::now() - start < options.duration);
  };
  for (uint64_t number = options.first_step; goes_on(); ++number) {
    const bool good = conductor.step(number);
    progress(conductor.result());
    if (!good) break;
  }
  conductor.finish();
  return conductor.result();
}

}  // namespace harness
