// SPDX-License-Identifier: MIT
#include "ladder/rung_process.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include "jobs/check.hpp"
#include "ladder/ladder.hpp"

namespace harness {
namespace {

using namespace std::chrono_literals;
using Outcome = RungBoard::Outcome;

RungResult run(void (*body)(RungContext&)) {
  return run_rung({"test", "A test", Stage::queued, body}, "/dev/null", 10ms);
}

TEST(RunRung, PassesWhatReturns) {
  const RungResult result = run([](RungContext&) {});
  EXPECT_EQ(result.outcome, Outcome::passed);
  EXPECT_EQ(result.error, "");
}

TEST(RunRung, KeepsWhatTheChildSaid) {
  const RungResult result = run([](RungContext& context) {
    context.step("the fence");
    throw Failure("word is 0x0");
  });
  EXPECT_EQ(result.outcome, Outcome::failed);
  EXPECT_EQ(result.waiting_for, "the fence");
  EXPECT_EQ(result.error, "word is 0x0");
  EXPECT_EQ(result.stage, Stage::queued);
}

TEST(RunRung, KeepsTheErrno) {
  const RungResult result =
      run([](RungContext&) { throw std::system_error(EBUSY, std::generic_category(), "VM_CREATE"); });
  EXPECT_EQ(result.evidence.facts.error, EBUSY);
}

TEST(RunRung, SkipsWhatCannotBeTried) {
  const RungResult result = run([](RungContext&) { throw RungSkipped("too old"); });
  EXPECT_TRUE(result.skipped());
  EXPECT_EQ(result.error, "too old");
}

TEST(RunRung, NamesTheStepOfAProcessThatDied) {
  const RungResult result = run([](RungContext& context) {
    context.step("GROUP_SUBMIT");
    ::raise(SIGKILL);
  });
  EXPECT_EQ(result.outcome, Outcome::failed);
  EXPECT_EQ(result.error, "GROUP_SUBMIT: its process died");
}

TEST(RunRung, KillsAProcessThatIgnoresItsDeadline) {
  const RungResult result = run([](RungContext& context) {
    context.step("VM_BIND map");
    for (;;) ::pause();
  });
  EXPECT_EQ(result.outcome, Outcome::failed);
  EXPECT_TRUE(result.evidence.stuck);
  EXPECT_FALSE(result.evidence.abandoned);
  EXPECT_EQ(result.stage, Stage::ioctl);
  ASSERT_TRUE(result.evidence.process);
  EXPECT_EQ(result.evidence.process->state, 'S');
  EXPECT_EQ(result.error, "VM_BIND map: does not come back");
}

TEST(Climb, StopsAtTheFirstThatFails) {
  const std::vector<Rung> rungs = {
      {"one", "", Stage::ioctl, [](RungContext&) {}},
      {"two", "", Stage::ioctl, [](RungContext&) { throw Failure("no"); }},
      {"three", "", Stage::ioctl, [](RungContext&) {}},
  };
  unsigned seen = 0;
  const Climb climbed = climb(rungs, "/dev/null", 10ms, [&](const RungResult&) { ++seen; });
  EXPECT_EQ(climbed.first_failing, "two");
  EXPECT_EQ(seen, 2u);
  EXPECT_TRUE(climbed.results[1].evidence.fresh_process);
}

TEST(AllRungs, HaveNamesOfTheirOwn) {
  const auto rungs = all_rungs();
  for (const Rung& rung : rungs) EXPECT_EQ(&find_rung(rungs, rung.name), &rung);
  EXPECT_THROW((void)find_rung(rungs, "nothing"), std::invalid_argument);
}

}  // namespace
}  // namespace harness
