// SPDX-License-Identifier: MIT
#include "panthor/hang_dump.hpp"

#include <gtest/gtest.h>

#include <random>
#include <stdexcept>
#include <string>

namespace panthor {
namespace {

const std::string dump_text =
    "panthor-hang version=1 source=debugfs driver=1.8 clock_ms=84210 time_ms=1767225684210 dev=fb000000.gpu\n"
    "device unplugged=0 pm=active rpm=active usage=1 resume_failed=0 mmio=read\n"
    "locks sched=0 reset=1 slots=0 vms=0 mmio=0 unplug=0\n"
    "sched slots=8 queues=8 used_slots=1 ticks=41 tick_age_ms=2310 tick_stopped=1 pm_ref=1\n"
    "vm id=4 as=1 users=1 unusable=0 destroyed=0 fault=0 op_running_ms=- op_locked=0\n"
    "group id=3 client=5 handle=1 pid=201 vm=4 state=active slot=-1 listed=0 refs=4 comm=a b=c job=9\n"
    "queue group=3 id=0 syncobj=0x800000002000 seen=11 last=12 jobs=2\n"
    "job group=3 queue=0 job=17 stage=S6 cause=executing wanted=12 seen=11 queued_ms=2312 done=0 finished=0\n"
    "job group=3 queue=0 job=18 stage=S1 cause=in-fence wanted=- queued_ms=900 done=0 finished=0 seqno=13\n"
    "in-fence group=3 queue=0 job=18 context=72 seqno=3 driver=drm_sched timeline=panthor-vm-bind x\n"
    "end lines=10 truncated=0\n";

TEST(Record, FreeTextTakesTheRestOfTheLine) {
  const Record record = Record::parse("group id=3 comm=a b=c job=9");
  EXPECT_EQ(record.text("comm"), "a b=c job=9");
  EXPECT_FALSE(record.text("job"));
}

TEST(Record, ADashIsNotKnown) {
  const Record record = Record::parse("job wanted=- seen=0");
  EXPECT_FALSE(record.text("wanted"));
  EXPECT_FALSE(record.number("wanted"));
  EXPECT_EQ(record.number("seen"), 0u);
}

TEST(Record, NumbersAreWholeAndInRange) {
  const Record record = Record::parse("x a=0x800000002000 b=-1 c=12ms d=99999999999999999999 e=0x f=300 g=");
  EXPECT_EQ(record.number("a"), 0x8000'0000'2000u);
  EXPECT_EQ(record.number<int>("b"), -1);
  EXPECT_FALSE(record.number("b")) << "unsigned";
  EXPECT_FALSE(record.number("c"));
  EXPECT_FALSE(record.number("d"));
  EXPECT_FALSE(record.number("e"));
  EXPECT_FALSE(record.number<uint8_t>("f"));
  EXPECT_FALSE(record.number("g"));
}

TEST(Record, WordsWithoutAKeyAreCountedAndOfTwoTheFirstHolds) {
  const Record record = Record::parse("x a=1 nonsense =2 a=3");
  EXPECT_EQ(record.malformed(), 2u);
  EXPECT_EQ(record.number("a"), 1u);
}

TEST(HangDump, JobsKnowTheirGroupQueueVmAndInFences) {
  const HangDump dump = HangDump::parse(dump_text);
  EXPECT_TRUE(dump.complete());
  const auto jobs = dump.jobs();
  ASSERT_EQ(jobs.size(), 2u);
  EXPECT_EQ(jobs[0].stage(), "S6");
  EXPECT_EQ(jobs[0].pid(), 201);
  EXPECT_EQ(jobs[0].age_ms(), 2312u);
  ASSERT_NE(jobs[0].vm, nullptr);
  EXPECT_EQ(jobs[0].vm->number("as"), 1u);
  EXPECT_TRUE(jobs[0].in_fences.empty());
  ASSERT_EQ(jobs[1].in_fences.size(), 1u);
  EXPECT_EQ(jobs[1].in_fences[0]->text("timeline"), "panthor-vm-bind x");
  EXPECT_EQ(jobs[1].group->number<int>("slot"), -1);
}

TEST(HangDump, FindsRecordsByNameAndKey) {
  const HangDump dump = HangDump::parse(dump_text);
  EXPECT_TRUE(dump.first("locks")->set("reset"));
  EXPECT_EQ(dump.find("vm", "id", 4)->number("users"), 1u);
  EXPECT_EQ(dump.find("vm", "id", 5), nullptr);
  EXPECT_EQ(dump.first("slot"), nullptr);
  EXPECT_TRUE(dump.all("slot").empty());
}

TEST(HangDump, WhatIsNoDumpIsRefusedWithAReason) {
  EXPECT_THROW((void)HangDump::parse(""), std::invalid_argument);
  EXPECT_THROW((void)HangDump::parse("\n\n"), std::invalid_argument);
  EXPECT_THROW((void)HangDump::parse("panthor-hang\nend truncated=0\n"), std::invalid_argument);
  EXPECT_THROW((void)HangDump::parse("panthor-hang version=2\n"), std::invalid_argument);
  try {
    (void)HangDump::parse(
        "\x7f"
        "ELF and so on");
    FAIL();
  } catch (const std::invalid_argument& error) {
    EXPECT_NE(std::string(error.what()).find("not a hang dump"), std::string::npos);
  }
}

TEST(HangDump, ATextCutAnywhereIsReadAsFarAsItGoes) {
  const size_t header = dump_text.find('\n');
  for (size_t length = header; length < dump_text.size() - 1; ++length) {
    const HangDump dump = HangDump::parse(std::string_view(dump_text).substr(0, length));
    EXPECT_FALSE(dump.complete()) << length;
    for (const HangDump::Job& job : dump.jobs()) (void)job.pid();
  }
}

TEST(HangDump, ATextTheDriverCutSaysSo) {
  EXPECT_FALSE(HangDump::parse("panthor-hang version=1\nend lines=1 truncated=1\n").complete());
}

TEST(HangDump, ParentsOfAnotherGroupAreNotTaken) {
  const HangDump dump = HangDump::parse(
      "panthor-hang version=1\ngroup id=3 pid=1\nqueue group=3 id=0\n"
      "job group=4 queue=0 job=1 stage=S4\nin-fence group=4 queue=0 job=2\n");
  const auto jobs = dump.jobs();
  ASSERT_EQ(jobs.size(), 1u);
  EXPECT_EQ(jobs[0].group, nullptr);
  EXPECT_EQ(jobs[0].queue, nullptr);
  EXPECT_EQ(jobs[0].pid(), 0);
  EXPECT_TRUE(jobs[0].in_fences.empty());
}

TEST(HangDump, RandomBytesDoNoHarm) {
  std::mt19937 random(1);
  for (unsigned round = 0; round < 200; ++round) {
    std::string text = dump_text;
    for (unsigned i = 0; i < 20; ++i) text[80 + random() % (text.size() - 80)] = static_cast<char>(random());
    try {
      const HangDump dump = HangDump::parse(text);
      for (const HangDump::Job& job : dump.jobs()) (void)(job.stage().size() + job.in_fences.size());
    } catch (const std::invalid_argument&) {
      // a header that was hit
    }
  }
}

}  // namespace
}  // namespace panthor
