// SPDX-License-Identifier: MIT
#include "faults/fault_injector.hpp"

#include <gtest/gtest.h>

#include <string>

namespace vgpu {
namespace {

std::string error_of(std::string_view text) {
  try {
    (void)FaultSpec::parse(text);
  } catch (const FaultSpecError& error) {
    return error.what();
  }
  return "(accepted)";
}

TEST(FaultSpec, DefaultsToTheNextOccasionOnce) {
  const FaultSpec spec = FaultSpec::parse("doorbell-lost");
  EXPECT_EQ(spec.name, "doorbell-lost");
  EXPECT_EQ(spec.after, 0u);
  EXPECT_EQ(spec.count, 1u);
}

TEST(FaultSpec, TakesOptionsInAnyOrder) {
  const FaultSpec spec = FaultSpec::parse("job-irq-lost:count=0:after=12");
  EXPECT_EQ(spec.after, 12u);
  EXPECT_EQ(spec.count, 0u);
}

TEST(FaultSpec, UnknownNameSuggestsTheNearest) {
  EXPECT_EQ(error_of("csg-ack-lots"),
            "unknown fault \"csg-ack-lots\": did you mean \"csg-ack-lost\"? (./lab faults "
            "lists all)");
  EXPECT_EQ(error_of("something-else-altogether"),
            "unknown fault \"something-else-altogether\": ./lab faults lists all");
}

TEST(FaultSpec, EachMistakeGetsItsOwnLine) {
  EXPECT_EQ(error_of(""), "empty fault name: expected NAME[:only=WORD][:ms=N][:after=N][:count=N]");
  EXPECT_EQ(error_of(":after=1"), "empty fault name: expected NAME[:only=WORD][:ms=N][:after=N][:count=N]");
  EXPECT_EQ(error_of("doorbell-lost:afer=1"),
            "fault \"doorbell-lost\": \"afer=1\" is not an option: expected after=N, only=WORD or count=N");
  EXPECT_EQ(error_of("doorbell-lost:after"),
            "fault \"doorbell-lost\": \"after\" is not an option: expected after=N, only=WORD or count=N");
  EXPECT_EQ(error_of("doorbell-lost:"),
            "fault \"doorbell-lost\": \"\" is not an option: expected after=N, only=WORD or count=N");
  EXPECT_EQ(error_of("doorbell-lost:after=x"),
            "fault \"doorbell-lost\": after=\"x\" is not a decimal number");
  EXPECT_EQ(error_of("doorbell-lost:after=-1"),
            "fault \"doorbell-lost\": after=\"-1\" is not a decimal number");
  EXPECT_EQ(error_of("doorbell-lost:count=1x"),
            "fault \"doorbell-lost\": count=\"1x\" is not a decimal number");
  EXPECT_EQ(error_of("doorbell-lost:count="), "fault \"doorbell-lost\": count=\"\" is not a decimal number");
  EXPECT_EQ(error_of("doorbell-lost:after=1:after=2"), "fault \"doorbell-lost\": after is given twice");
  EXPECT_EQ(error_of("doorbell-lost:after=18446744073709551616"),
            "fault \"doorbell-lost\": after=18446744073709551616 is too large: at most 18446744073709551615");
}

TEST(FaultSpec, WordsAndDurationsBelongToTheirRows) {
  EXPECT_EQ(FaultSpec::parse("csg-ack-lost:only=suspend").only, "suspend");
  EXPECT_EQ(
      error_of("csg-ack-lost:only=suspended"),
      "fault \"csg-ack-lost\": only=\"suspended\" is none of: start resume suspend terminate status-update "
      "endpoint-config");
  EXPECT_EQ(error_of("ping-ack-lost:only=x"),
            "fault \"ping-ack-lost\": \"only=x\" is not an option: expected after=N or count=N");
  EXPECT_EQ(FaultSpec::parse("job-irq-late").ms, 2000u);
  EXPECT_EQ(FaultSpec::parse("job-irq-late:ms=7").ms, 7u);
  EXPECT_EQ(error_of("job-irq-late:ms=0"), "fault \"job-irq-late\": ms=0 is not in 1 to 86400000");
  EXPECT_EQ(error_of("job-irq-lost:ms=7"),
            "fault \"job-irq-lost\": \"ms=7\" is not an option: expected after=N or count=N");
}

TEST(FaultCatalogue, HasTwentyFourKindsAndTheWordsOfARowDiffer) {
  EXPECT_GE(fault_catalogue().size(), 24u);
  for (const FaultKind& kind : fault_catalogue()) {
    const std::string line = catalogue_line(kind);
    EXPECT_EQ(line.find('\n'), std::string::npos);
    EXPECT_EQ(line.find("[only=") != std::string::npos, !kind.only.empty()) << kind.name;
    EXPECT_EQ(line.find("[ms=") != std::string::npos, kind.ms != 0) << kind.name;
  }
}

TEST(FaultCatalogue, RowsAreCompleteAndStaged) {
  for (const FaultKind& kind : fault_catalogue()) {
    EXPECT_FALSE(kind.what.empty()) << kind.name;
    EXPECT_EQ(kind.what.find('\n'), std::string_view::npos) << kind.name;
    ASSERT_EQ(kind.stage.size(), 2u) << kind.name;
    EXPECT_TRUE(kind.stage[0] == 'S' && kind.stage[1] >= '0' && kind.stage[1] <= '8') << kind.name;
    EXPECT_EQ(FaultSpec::parse(kind.name).name, kind.name);
  }
}

class FaultInjectorTest : public testing::Test {
 protected:
  VirtualClock clock;
  EventLog log{clock};
  FaultInjector faults{log};
};

TEST_F(FaultInjectorTest, SkipsThenFailsThenIsSpent) {
  faults.arm(FaultSpec::parse("doorbell-lost:after=2:count=2"));
  std::string seen;
  for (int i = 0; i < 6; ++i) seen += faults.hits("doorbell-lost") ? 'x' : '.';
  EXPECT_EQ(seen, "..xx..");
  EXPECT_TRUE(faults.armed().empty());
  EXPECT_EQ(log.counter("fault.doorbell-lost"), 2u);
}

TEST_F(FaultInjectorTest, CountZeroFailsForEver) {
  faults.arm(FaultSpec::parse("doorbell-lost:count=0"));
  for (int i = 0; i < 100; ++i) EXPECT_TRUE(faults.hits("doorbell-lost"));
  faults.disarm("doorbell-lost");
  EXPECT_FALSE(faults.hits("doorbell-lost"));
}

TEST_F(FaultInjectorTest, NamesDoNotDisturbEachOther) {
  faults.arm(FaultSpec::parse("job-irq-lost:after=1"));
  EXPECT_FALSE(faults.hits("doorbell-lost"));
  EXPECT_FALSE(faults.hits("job-irq-lost"));
  EXPECT_FALSE(faults.hits("doorbell-lost"));
  EXPECT_TRUE(faults.hits("job-irq-lost"));
}

TEST_F(FaultInjectorTest, OnlyCountsItsOwnOccasions) {
  faults.arm(FaultSpec::parse("csg-ack-lost:only=suspend:after=1"));
  EXPECT_FALSE(faults.hits("csg-ack-lost", "suspend"));
  EXPECT_FALSE(faults.hits("csg-ack-lost", "start"));
  EXPECT_TRUE(faults.hits("csg-ack-lost", "suspend"));
}

TEST_F(FaultInjectorTest, ALastingFaultSaysForHowLong) {
  faults.arm(FaultSpec::parse("power-up-slow:ms=3:only=l2"));
  EXPECT_EQ(faults.delays_ns("power-up-slow", "shader"), std::nullopt);
  EXPECT_EQ(faults.delays_ns("power-up-slow", "l2"), 3'000'000u);
}

TEST_F(FaultInjectorTest, ArmingAgainReplaces) {
  faults.arm(FaultSpec::parse("doorbell-lost:after=100"));
  faults.arm(FaultSpec::parse("doorbell-lost"));
  EXPECT_EQ(faults.armed().size(), 1u);
  EXPECT_TRUE(faults.hits("doorbell-lost"));
}

TEST_F(FaultInjectorTest, RefusesToArmWhatIsNotInTheCatalogue) {
  EXPECT_THROW(faults.arm({"no-such-fault", 0, 1, "", 0}), FaultSpecError);
}

}  // namespace
}  // namespace vgpu
