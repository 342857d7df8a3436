// SPDX-License-Identifier: MIT
// What `autopsy` concludes from given facts.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include <algorithm>
#include <span>
#include <stdexcept>
#include <system_error>

#include "autopsy/bundle.hpp"
#include "autopsy/diagnosis.hpp"
#include "autopsy/report.hpp"
#include "file_tree.hpp"

namespace harness::autopsy {
namespace {

/// A board on which thread 201 has been in SYNCOBJ_WAIT for `seconds`.
Facts hanging(double seconds = 12) {
  Facts facts;
  facts.node = "fb000000.gpu";
  facts.driver = "panthor";
  facts.driver_loaded = true;
  facts.uptime_s = 1000;
  facts.window_s = 2;
  facts.log_readable = true;
  Waiter waiter;
  waiter.pid = 201;
  waiter.comm = "llama-bench";
  waiter.thread.snapshot.pid = 201;
  waiter.thread.activity = Activity::in_fence;
  waiter.thread.doing = "DRM_IOCTL_SYNCOBJ_WAIT";
  waiter.seconds = seconds;
  waiter.exact = true;
  facts.waiter = waiter;
  return facts;
}

Facts with_target(Facts facts, Target::State state, std::vector<panthor::FenceLook> fences = {}) {
  facts.client.emplace();
  facts.client->wait_all = true;
  facts.client->targets.push_back({.handle = 3, .point = 0, .state = state, .fences = std::move(fences)});
  return facts;
}

Facts with_power(Facts facts, const std::string& status) {
  facts.power_before.runtime_status = status;
  facts.power_before.control = "auto";
  facts.power_before.active_ms = 10;
  facts.power_before.suspended_ms = 20;
  facts.power_after = facts.power_before;
  facts.interrupts_before = {{"panthor-job", 7}};
  facts.interrupts_after = {{"panthor-job", 7}};
  return facts;
}

Facts with_dump(Facts facts, const std::string& jobs, const std::string& head = "") {
  const std::string text = "panthor-hang version=1\n" + head +
                           "group id=3 client=5 handle=1 pid=201 vm=4 state=active slot=0\nqueue group=3 "
                           "id=0 insert=640 extract=592\n" +
                           jobs + "end lines=9 truncated=0\n";
  facts.dump = panthor::HangDump::parse(text);
  facts.dump_before = facts.dump;
  return facts;
}

const std::vector<panthor::FenceLook> queue_fence = {{"drm_sched", "panthor-queue-5-1-0", 0}};

TEST(Diagnosis, NothingWaitsIsHealthy) {
  Facts facts = hanging();
  facts.waiter.reset();
  const Diagnosis diagnosis = diagnose(facts);
  EXPECT_EQ(diagnosis.verdict, Verdict::healthy);
  EXPECT_TRUE(diagnosis.stages.empty());
}

TEST(Diagnosis, AnotherDriverCannotBeLookedAt) {
  Facts facts;
  facts.node = "fb000000.gpu";
  facts.driver = "mali";
  EXPECT_EQ(diagnose(facts).verdict, Verdict::cannot_look);
}

TEST(Diagnosis, AnIoctlThatDoesNotReturnIsS0WhateverItsJobsDo) {
  Facts facts = with_dump(hanging(), "job group=3 queue=0 job=17 stage=S6 cause=executing finished=0\n");
  facts.waiter->thread.activity = Activity::in_driver;
  facts.waiter->thread.doing = "DRM_IOCTL_PANTHOR_VM_BIND";
  const Diagnosis diagnosis = diagnose(facts);
  EXPECT_EQ(diagnosis.stages.text(), "S0");
  EXPECT_EQ(diagnosis.confidence, Confidence::certain);
}

TEST(Diagnosis, ASignalledFenceWithASleeperIsS8) {
  const Diagnosis diagnosis = diagnose(with_target(hanging(), Target::State::signalled));
  EXPECT_EQ(diagnosis.stages.text(), "S8");
  EXPECT_EQ(diagnosis.confidence, Confidence::certain);
}

TEST(Diagnosis, APointNobodySubmitsIsS8AndUserSpaces) {
  const Diagnosis diagnosis = diagnose(with_target(hanging(), Target::State::never_submitted));
  EXPECT_EQ(diagnosis.stages.text(), "S8");
  EXPECT_EQ(diagnosis.cause, "never-submitted");
}

TEST(Diagnosis, AWaitForABindIsS1) {
  const Diagnosis diagnosis =
      diagnose(with_target(hanging(), Target::State::pending, {{"drm_sched", "panthor-vm-bind", 0}}));
  EXPECT_EQ(diagnosis.stages.text(), "S1");
}

TEST(Diagnosis, AnotherPendingFenceOfTheProcessPointsToS1) {
  Facts facts = with_power(with_target(hanging(), Target::State::pending, queue_fence), "suspended");
  facts.client->syncobjs.push_back({.handle = 2,
                                    .has_fence = true,
                                    .signalled = false,
                                    .point = 0,
                                    .submitted = 0,
                                    .fences = {{"sw_sync", "never", 0}}});
  const Diagnosis diagnosis = diagnose(facts);
  EXPECT_EQ(diagnosis.stages.text(), "S1");
  EXPECT_EQ(diagnosis.confidence, Confidence::likely);
}

TEST(Diagnosis, AGpuThatSleepsHasNothingOnASlot) {
  const Diagnosis diagnosis =
      diagnose(with_power(with_target(hanging(3), Target::State::pending, queue_fence), "suspended"));
  EXPECT_EQ(diagnosis.stages.text(), "S1-S4,S6-S8");
  EXPECT_EQ(diagnosis.confidence, Confidence::possible);
}

TEST(Diagnosis, AGpuKeptAwakeHasWorkOfTheDriver) {
  const Diagnosis diagnosis =
      diagnose(with_power(with_target(hanging(3), Target::State::pending, queue_fence), "active"));
  EXPECT_EQ(diagnosis.stages.text(), "S2-S7");
}

TEST(Diagnosis, AProbeThatPassesInTimeRulesOutWhatAllWouldMeet) {
  Facts facts = with_power(with_target(hanging(3), Target::State::pending, queue_fence), "active");
  facts.probe.emplace();
  facts.probe->outcome = RungBoard::Outcome::passed;
  facts.probe->duration = std::chrono::milliseconds(5);
  EXPECT_FALSE(diagnose(facts).stages.has(Stage::completion));
  facts.probe->duration = std::chrono::milliseconds(1300);
  const Diagnosis late = diagnose(facts);
  EXPECT_EQ(late.stages.text(), "S7") << "somebody's timeout found its end";
  EXPECT_EQ(late.confidence, Confidence::likely);
}

TEST(Diagnosis, ALongWaitWithoutJobTimeoutIsNotOnASlot) {
  EXPECT_EQ(diagnose(with_power(with_target(hanging(20), Target::State::pending, queue_fence), "active"))
                .stages.text(),
            "S2-S4");
  Facts fired = with_power(with_target(hanging(20), Target::State::pending, queue_fence), "active");
  fired.log = {{990, "panthor fb000000.gpu: [drm] job timeout: pid=201, comm=llama-bench, seqno=3"}};
  EXPECT_EQ(diagnose(fired).stages.text(), "S5-S7");
}

TEST(Diagnosis, TheDumpNamesStageAndCause) {
  const Diagnosis diagnosis =
      diagnose(with_dump(with_target(hanging(), Target::State::pending, queue_fence),
                         "job group=3 queue=0 job=16 stage=S8 cause=x finished=1\n"
                         "job group=3 queue=0 job=17 stage=S4 cause=no-tick finished=0\n",
                         "sched slots=8 used_slots=0 ticks=41 tick_stopped=1\n"));
  EXPECT_EQ(diagnosis.stages.text(), "S4");
  EXPECT_EQ(diagnosis.cause, "no-tick");
  EXPECT_EQ(diagnosis.confidence, Confidence::certain);
  bool shown = false;
  for (const std::string& line : diagnosis.evidence)
    shown = shown || line.find("tick_stopped=1") != std::string::npos;
  EXPECT_TRUE(shown);
}

TEST(Diagnosis, AChainOfJobsEndsWhereTheFirstOneStands) {
  const std::string chain =
      "job group=3 queue=0 job=18 stage=S1 cause=in-fence finished=0 context=61 seqno=13\n"
      "in-fence group=3 queue=0 job=18 context=62 seqno=4 driver=drm_sched timeline=panthor-queue-5-2-0\n"
      "group id=4 client=5 handle=2 pid=201 vm=4\nqueue group=4 id=0\n"
      "job group=4 queue=0 job=17 stage=S6 cause=executing finished=0 context=62 seqno=4\n";
  EXPECT_EQ(
      diagnose(with_dump(with_target(hanging(), Target::State::pending, queue_fence), chain)).stages.text(),
      "S6");
}

TEST(Diagnosis, AnInFenceOfNobodyWeKnowStaysS1) {
  const std::string jobs =
      "job group=3 queue=0 job=18 stage=S1 cause=in-fence finished=0 context=61 seqno=13\n"
      "in-fence group=3 queue=0 job=18 context=99 seqno=1 driver=sw_sync timeline=never\n";
  EXPECT_EQ(
      diagnose(with_dump(with_target(hanging(), Target::State::pending, queue_fence), jobs)).stages.text(),
      "S1");
}

TEST(Diagnosis, AJobThatStandsStillHangsThoughNobodySleeps) {
  Facts facts = with_dump(
      hanging(), "job group=3 queue=0 job=17 stage=S5 cause=not-fetched queued_ms=9000 finished=0\n");
  facts.waiter.reset();
  EXPECT_EQ(diagnose(facts).verdict, Verdict::hang);
  EXPECT_EQ(diagnose(facts).stages.text(), "S5");
}

TEST(Diagnosis, TheDriversOwnStallLineIsTaken) {
  Facts facts = hanging();
  facts.log = {
      {995, "panthor fb000000.gpu: [drm] stall: stage=S4 cause=lost by=stall pid=201 comm=llama-bench"},
      {996, "panthor fb000000.gpu: [drm] stall: stage=S1 cause=in-fence by=stall pid=7 comm=other"}};
  EXPECT_EQ(diagnose(facts).stages.text(), "S4");
  EXPECT_EQ(diagnose(facts).cause, "lost");
}

TEST(Diagnosis, ALogLineOfThisHourWithoutAWaiterIsAFailure) {
  Facts facts = hanging();
  facts.waiter.reset();
  facts.log = {{999, "panthor fb000000.gpu: [drm] *ERROR* CSG 0 update request timedout"}};
  const Diagnosis diagnosis = diagnose(facts);
  EXPECT_EQ(diagnosis.verdict, Verdict::failed);
  EXPECT_EQ(diagnosis.stages.text(), "S4");
  facts.log[0].seconds = 10;
  EXPECT_EQ(diagnose(facts).verdict, Verdict::healthy) << "history";
}

TEST(Diagnosis, TheTraceTellsADependencyFromAQueueThatIsNotServed) {
  const std::string queued =
      " a-201 [000] ..... 2.1: drm_sched_job_queue: dev=x, fence=61:13, ring=panthor-queue-5-1-0, job "
      "count:1\n";
  Facts facts = with_target(hanging(), Target::State::pending, queue_fence);
  facts.trace = panthor::TraceLog::parse(queued);
  EXPECT_EQ(diagnose(facts).stages.text(), "S2");
  facts.trace = panthor::TraceLog::parse(
      queued + " a-201 [000] ..... 2.2: drm_sched_job_add_dep: fence=61:13 depends on fence=72:3\n");
  EXPECT_EQ(diagnose(facts).stages.text(), "S1");
  facts.trace = panthor::TraceLog::parse(
      queued +
      " k-9 [000] ..... 2.3: drm_sched_job_run: dev=x, fence=61:13, ring=panthor-queue-5-1-0, job count:1\n");
  EXPECT_EQ(diagnose(facts).stages.text(), "S3");
}

TEST(Diagnosis, EveryHangSaysWhatToDoNext) {
  for (const auto state : {Target::State::signalled, Target::State::pending, Target::State::never_submitted})
    EXPECT_FALSE(diagnose(with_target(hanging(), state)).next.empty());
}

/// A cause of the dump with an experiment of its own: it stands before the one any cause of that stage gets.
TEST(Diagnosis, WhatTheDumpNamesHasItsOwnExperiment) {
  struct Row {
    const char *stage, *cause, *step;
  };
  constexpr Row rows[] = {
      {"S2", "paused", "a reset or a timeout stopped the queue"},
      {"S2", "behind", "the first job of the same group and queue"},
      {"S4", "slots-full", "one of them holds the slots"},
      {"S4", "reset-pending", "never ends by itself"},
      {"S4", "dead", "its process must make a new one"},
      {"S4", "no-ack", "the firmware does not answer"},
      {"S5", "behind", "the first job of the same group and queue"},
      {"S5", "mcu-dead", "the firmware has died"},
      {"S6", "sync-wait", "who should have signalled it"},
      {"S6", "page-fault", "Unhandled Page fault"},
      {"S7", "irq-masked", "an unmask that got lost"},
      {"S7", "no-seqno", "dma-coherent"},
  };
  for (const Row& row : rows) {
    const auto next =
        diagnose(with_dump(hanging(), fmt::format("job group=3 queue=0 job=17 stage={} cause={} "
                                                  "finished=0\n",
                                                  row.stage, row.cause)))
            .next;
    const size_t first = ::geteuid() == 0 ? 0 : 1;  // others are told to try as root
    ASSERT_GT(next.size(), first);
    EXPECT_NE(next[first].find(row.step), std::string::npos)
        << row.stage << ' ' << row.cause << ": " << next[first];
  }
}

TEST(Report, TheFirstLineIsTheVerdictAndAllFitsAScreen) {
  Facts facts = with_power(with_target(hanging(), Target::State::pending, queue_fence), "active");
  facts.sources = {{"kernel log", true, "3 lines", "x"}, Source::unseen("hang dump", "no series")};
  const std::string report = human_report(facts, diagnose(facts));
  EXPECT_TRUE(report.starts_with("S2-S4: HANG")) << report;
  EXPECT_LE(std::count(report.begin(), report.end(), '\n'), 40) << report;
  EXPECT_NE(report.find("not seen: hang dump: no series"), std::string::npos);
}

TEST(Report, JsonHasWhatProgramsAskFor) {
  const Facts facts = with_target(hanging(), Target::State::signalled);
  const std::string json = json_report(facts, diagnose(facts));
  for (const char* key : {"\"stage\": \"S8\"", "\"confidence\": \"certain\"", "\"evidence\": [",
                          "\"ruled_out\": [", "\"next\": [", "\"sources\": [", "\"verdict\": \"hang\""})
    EXPECT_NE(json.find(key), std::string::npos) << key << '\n' << json;
}

TEST(StageSet, NamesItselfByRanges) {
  EXPECT_EQ((StageSet{Stage::no_slot, Stage::not_fetched, Stage::dependency}).text(), "S1,S4-S5");
  EXPECT_EQ(StageSet::all().text(), "S0-S8");
  EXPECT_EQ(stage_by_name("S8"), StageSet{Stage::wake_up});
  EXPECT_TRUE(stage_by_name("S9").empty());
}

TEST(Bundle, HoldsTheReportsAndNotTheHostsName) {
  Facts facts = hanging();
  facts.sources = {{"hang dump", true, "", "dev=fb000000.gpu on boltzmann"}};
  const auto files = bundle_files(facts, diagnose(facts), "boltzmann");
  ASSERT_EQ(files.size(), 4u);
  EXPECT_EQ(files[0].name, "README.txt");
  EXPECT_EQ(files[3].name, "sources/hang-dump.txt");
  EXPECT_EQ(files[3].text, "dev=fb000000.gpu on HOST");
}

TEST(Bundle, IsATarOfWholeBlocks) {
  const BundleFile file{"a.txt", std::string(513, 'x')};
  const std::string archive = tar(std::span(&file, 1));
  EXPECT_EQ(archive.size(), 512u + 1024 + 1024);
  EXPECT_EQ(archive.substr(257, 5), "ustar");
  const BundleFile long_name{std::string(100, 'n'), ""};
  EXPECT_THROW((void)tar(std::span(&long_name, 1)), std::invalid_argument);
}

TEST(Bundle, IsWrittenWholeOrNotAtAll) {
  const FileTree tree;
  const auto path = tree.path("autopsy.tar.gz");
  const BundleFile file{"a.txt", "hello"};
  write_bundle(path, std::span(&file, 1));
  gzFile in = gzopen(path.c_str(), "rb");
  char head[17] = {};
  EXPECT_EQ(gzread(in, head, 16), 16);
  gzclose(in);
  EXPECT_STREQ(head, "panthor-autopsy/");
  EXPECT_THROW(write_bundle("/nowhere/x.tar.gz", std::span(&file, 1)), std::system_error);
}

}  // namespace
}  // namespace harness::autopsy
