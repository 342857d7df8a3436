// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <set>

#include "board/gpu_power.hpp"
#include "file_tree.hpp"
#include "stress/hog.hpp"
#include "stress/stress_report.hpp"
#include "stress/worker.hpp"

namespace harness {
namespace {

using namespace std::chrono_literals;

bool same(const StressStep& a, const StressStep& b) {
  return a.slot == b.slot && a.mid_job == b.mid_job && a.delay == b.delay && a.gap == b.gap && a.hog == b.hog;
}

bool same(const WorkerPlan& a, const WorkerPlan& b) {
  return a.part == b.part && a.seed == b.seed && a.groups == b.groups && a.dies_at_call == b.dies_at_call;
}

TEST(Plan, SameSeedSameDecisions) {
  const Plan one({.seed = 7, .suspend = true});
  const Plan again({.seed = 7, .suspend = true});
  const Plan other({.seed = 8, .suspend = true});
  unsigned different = 0;
  for (uint64_t number = 1; number <= 200; ++number) {
    EXPECT_TRUE(same(one.step(number), again.step(number)));
    different += !same(one.step(number), other.step(number));
  }
  EXPECT_GT(different, 150u);
}

TEST(Plan, WithoutSuspendTheRestStaysTheSame) {
  const Plan without({.seed = 7});
  const Plan with({.seed = 7, .memory_pressure = true, .suspend = true});
  unsigned gaps = 0;
  unsigned hogs = 0;
  for (uint64_t number = 1; number <= 1000; ++number) {
    StressStep step = with.step(number);
    gaps += step.gap.has_value();
    hogs += step.hog != 0;
    step.gap.reset();
    step.hog = 0;
    EXPECT_TRUE(same(step, without.step(number)));
  }
  EXPECT_GT(gaps, 0u);
  EXPECT_GT(hogs, 0u);
}

TEST(Plan, AWorkerIsTheOneItsSlotGotLast) {
  const Plan plan({.seed = 3, .processes = 4, .suspend = true});
  std::vector<WorkerPlan> workers;
  for (unsigned slot = 0; slot < 4; ++slot) workers.push_back(plan.worker(1, slot));
  for (uint64_t number = 1; number <= 300; ++number) {
    for (unsigned slot = 0; slot < 4; ++slot)
      EXPECT_TRUE(same(workers[slot], plan.worker(number, slot))) << number << ' ' << slot;
    const StressStep step = plan.step(number);
    for (unsigned slot = 0; slot < 4; ++slot)
      if (step.gap || step.slot == slot) workers[slot] = plan.worker(number + 1, slot);
  }
}

TEST(Plan, JobsWithoutEndLeaveSlotsForOthers) {
  const Plan plan({.seed = 5, .processes = 64});
  std::set<const Part*> seen;
  for (uint64_t number = 1; number <= 200; ++number) {
    unsigned endless = 0;
    for (unsigned slot = 0; slot < 64; ++slot) {
      const WorkerPlan worker = plan.worker(number, slot);
      endless += worker.part->endless;
      EXPECT_FALSE(worker.part->pressure);
      seen.insert(worker.part);
    }
    EXPECT_LT(endless, 8u);
  }
  EXPECT_EQ(seen.size() + 1, all_parts().size());  // all but the one for memory pressure
}

WorkerPlan plan_of(const Part& part, unsigned dies_at_call = 0) {
  return {.part = &part, .seed = 1, .groups = 1, .dies_at_call = dies_at_call};
}

TEST(StressWorker, DiesOfSigkill) {
  static constexpr Part part = {"sleeper", "", [](PartContext&) {
                                  for (;;) ::pause();
                                }};
  StressWorker worker(plan_of(part), "/dev/null", 1s);
  EXPECT_FALSE(worker.ended());
  EXPECT_TRUE(worker.kill(10s));
  EXPECT_TRUE(worker.ended());
  EXPECT_FALSE(worker.failed());
}

TEST(StressWorker, DiesByItsOwnHandInFrontOfACall) {
  static constexpr Part part = {"caller", "", [](PartContext& context) {
                                  for (int i = 1;; ++i) context.step("call " + std::to_string(i));
                                }};
  StressWorker worker(plan_of(part, 3), "/dev/null", 1s);
  while (!worker.ended()) ::usleep(1000);
  EXPECT_FALSE(worker.failed());
  EXPECT_EQ(worker.describe({}).waiting_for, "call 3");
}

TEST(StressWorker, TellsWhatItSaw) {
  static constexpr Part part = {"refused", "", [](PartContext& context) {
                                  context.step("VM_CREATE");
                                  context.submitted();
                                  throw std::system_error(ENOMEM, std::generic_category(),
                                                          "DRM_IOCTL_PANTHOR_VM_CREATE()");
                                }};
  StressWorker worker(plan_of(part), "/dev/null", 1s);
  while (!worker.ended()) ::usleep(1000);
  EXPECT_TRUE(worker.failed());
  EXPECT_TRUE(worker.has_submitted());
  EXPECT_TRUE(worker.in_flight());
  EXPECT_EQ(worker.error(), ENOMEM);
  EXPECT_EQ(worker.describe({}).error, "DRM_IOCTL_PANTHOR_VM_CREATE(): Cannot allocate memory");
}

StressResult wedged() {
  StressResult result;
  result.kills = 4711;
  result.computes_at_end = true;
  result.kernel_log_readable = true;
  Wedge wedge{.step = 4705, .slot = 2, .checked = 4688, .recovered = true, .what = {}};
  wedge.what.name = "looping";
  wedge.what.error = "does not die of SIGKILL";
  wedge.what.stage = Stage::no_slot;
  wedge.what.waiting_for = "SIGKILL";
  result.wedges.push_back(wedge);
  return result;
}

TEST(StressReport, AWedgeFailsWithItsStageAndHowToReplayIt) {
  StressOptions options;
  options.plan.seed = 9;
  options.plan.suspend = true;
  const StressResult result = wedged();
  const auto steps = stress_steps(options, result);
  ASSERT_EQ(steps.size(), stress_step_names(options).size());
  EXPECT_EQ(steps[0].error, "1 wedges in 4711 kills");
  std::string text;
  for (const std::string& line : steps[0].evidence) text += line + '\n';
  EXPECT_NE(text.find("wedge at step 4705, worker 2 (looping): does not die of SIGKILL"), std::string::npos)
      << text;
  EXPECT_NE(text.find("stage: S4"), std::string::npos) << text;
  EXPECT_NE(text.find("--seed 9 --processes 8 --groups 2 --suspend --first-step 4689 --kills 17"),
            std::string::npos)
      << text;
  const auto json = stress_summary(options, result).details;
  EXPECT_EQ(json["wedges"][0]["step"], 4705);
  EXPECT_EQ(json["wedges"][0]["stage"], "S4");
}

TEST(StressReport, SaysWhatCouldNotBeTried) {
  StressOptions options;
  options.plan.suspend = true;
  StressResult result;
  result.computes_at_end = true;
  result.no_suspend = "not root";
  unsigned skipped = 0;
  for (const StepResult& step : stress_steps(options, result)) {
    EXPECT_FALSE(step.failed()) << step.error;
    skipped += !step.skipped.empty();
  }
  EXPECT_EQ(skipped, 2u);  // suspend, and the kernel log
}

TEST(StressReport, AGpuThatDoesNotComputeAtTheEndFails) {
  const auto steps = stress_steps({}, StressResult{});
  EXPECT_TRUE(std::ranges::any_of(steps, [](const StepResult& step) { return step.failed(); }));
}

TEST(StressMachine, MemoryStateIsInBytes) {
  const FileTree proc;
  proc.file("meminfo", "MemTotal: 1000 kB\nMemAvailable:     300 kB\nSwapTotal: 20 kB\nSwapFree:  10 kB\n");
  proc.file("vmstat", "pswpin 5\npswpout 7\n");
  const MemoryState state = read_memory_state(proc.root().string());
  EXPECT_EQ(state.available, 300u << 10);
  EXPECT_EQ(state.swap_total, 20u << 10);
  EXPECT_EQ(state.swap_free, 10u << 10);
  EXPECT_EQ(state.swapped_out, 7u * 4096);
}

TEST(StressMachine, GpuPowerWithoutAMaliMayNotSuspend) {
  const FileTree tree;
  BoardTree board;
  board.root = tree.root();
  const GpuPower power(board);
  EXPECT_FALSE(power.may_suspend());
  EXPECT_FALSE(power.let_suspend(true));
  EXPECT_FALSE(power.wait_suspended(0s));
}

}  // namespace
}  // namespace harness
