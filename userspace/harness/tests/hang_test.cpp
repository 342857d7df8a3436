// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "hang/matrix_report.hpp"
#include "hang/workload.hpp"

namespace harness {
namespace {

using Json = nlohmann::ordered_json;

/// A process that sleeps to the end, and nobody says a word.
Json silent(const std::string& stage = "S4") {
  return {{"name", "kind"},
          {"stage", stage},
          {"faults", Json::array({"csg-ack-lost"})},
          {"plant", ""},
          {"workload", "plain"},
          {"asleep", false},
          {"watch_ms", 20000},
          {"log", Json::array()},
          {"coredump_ms", nullptr},
          {"end", nullptr},
          {"process", {{"state", "S"}, {"cpu_ms", 0}, {"wchan", "x"}, {"stack", "x"}}},
          {"autopsy", nullptr},
          {"start_ns", 5'000'000'000},
          {"death", {{"died", true}, {"ms", 1}}},
          {"fresh", {{"passed", true}, {"left_behind", false}, {"error", ""}}},
          {"after", {{"passed", true}, {"left_behind", false}, {"error", ""}}}};
}

TEST(Judgement, SilenceIsTheUsersSymptom) {
  const Judgement judged = judge(silent());
  EXPECT_TRUE(judged.users_symptom);
  EXPECT_EQ(judged.process, Judgement::Process::asleep);
  EXPECT_FALSE(judged.noticed_ms());
  EXPECT_FALSE(judged.stage_right);
}

TEST(Judgement, OneLineOrAnyCpuTimeOrAnEndIsNot) {
  Json seen = silent();
  seen["log"].push_back({{"ms", 5100}, {"text", "panthor fb000000.gpu: [drm] job timeout"}});
  EXPECT_FALSE(judge(seen).users_symptom);
  EXPECT_EQ(judge(seen).noticed_ms(), 5100);
  seen = silent();
  seen["process"]["cpu_ms"] = 10;
  EXPECT_EQ(judge(seen).process, Judgement::Process::busy);
  EXPECT_FALSE(judge(seen).users_symptom);
  seen = silent();
  seen["end"] = {{"ms", 5000}, {"failed", false}, {"text", ""}};
  EXPECT_EQ(judge(seen).process, Judgement::Process::ended_late);
  EXPECT_FALSE(judge(seen).users_symptom);
}

TEST(Judgement, WhatTheKillCausedIsNoNotice) {
  Json seen = silent();
  seen["log"].push_back({{"ms", 20'500}, {"text", "panthor: CSG suspend failed"}});
  EXPECT_TRUE(judge(seen).users_symptom);
}

TEST(Judgement, StagesOfTheToolsMustAllBeRight) {
  Json seen = silent();
  seen["log"].push_back(
      {{"ms", 3050}, {"text", "panthor fb000000.gpu: [drm] stall: stage=S4 cause=no-ack by=stall"}});
  EXPECT_EQ(judge(seen).detector->stage, "S4");
  EXPECT_FALSE(judge(seen).kernel_log);
  EXPECT_EQ(judge(seen).stage_right, true);
  seen["autopsy"] = {{"stages", Json::array({"S7"})}, {"ms", 4000}};
  EXPECT_EQ(judge(seen).stage_right, false);
  seen["autopsy"]["stages"] = Json::array({"S2", "S4"});
  EXPECT_EQ(judge(seen).stage_right, true);
  EXPECT_EQ(judge(seen).noticed_ms(), 3050);
}

TEST(Judgement, AProcessThatOutlivesItsCauseIsLeftInD) {
  Json seen = silent();
  seen["death"] = {{"died", false}, {"ms", 20'000}, {"died_after", true}};
  EXPECT_FALSE(judge(seen).left_in_d) << "taking the cause out let it die";
  seen["death"]["died_after"] = false;
  EXPECT_TRUE(judge(seen).left_in_d);
}

TEST(Judgement, FreshProcess) {
  Json seen = silent();
  seen["fresh"]["passed"] = false;
  EXPECT_EQ(judge(seen).fresh, Judgement::Fresh::computes_without_cause);
  seen["after"]["passed"] = false;
  EXPECT_EQ(judge(seen).fresh, Judgement::Fresh::hangs);
}

class MatrixReportTest : public testing::Test {
 protected:
  MatrixReportTest() {
    std::filesystem::create_directories(root_ / "stock" / "a" / "guest");
    std::filesystem::create_directories(root_ / "stock" / "b");
    std::ofstream(root_ / "kinds.list")
        << "# comment\nb S4 hang=plain\na S4 fault=x   # why\nc S1 hang=in-fence\n";
    std::ofstream(root_ / "stock" / "a" / "case.json") << silent().dump();
    std::ofstream(root_ / "stock" / "b" / "error") << "the workload could not be prepared\nmore\n";
    std::ofstream(root_ / "stock" / "a" / "guest" / "model.log")
        << "1000 mcu.status value=0x1\n2000000 model.mark word=start\n2500000 doorbell.ring id=1\n";
    std::ofstream(root_ / "stock" / "a" / "trace") << "# tracer: nop\n    kworker/u4:1-41      [000] .....   "
                                                      "  5.000250: drm_sched_job_run: dev=gpu, id=3\n";
    cases_ = load_matrix(root_, kinds_in(root_ / "kinds.list"), {"stock"});
  }
  ~MatrixReportTest() override { std::filesystem::remove_all(root_); }

  std::filesystem::path root_ = std::filesystem::path(testing::TempDir()) / "hang-matrix-test";
  std::vector<PlayedCase> cases_;
};

TEST_F(MatrixReportTest, OrderIsTheListsAndWhatWasNotPlayedFails) {
  ASSERT_EQ(cases_.size(), 2u);
  EXPECT_EQ(cases_[0].kind, "b");
  EXPECT_FALSE(cases_[0].passed());
  EXPECT_EQ(cases_[0].why, "the workload could not be prepared");
  EXPECT_TRUE(cases_[1].passed());
  const std::string ktap = ktap_text(cases_);
  EXPECT_NE(ktap.find("1..2\n"), std::string::npos);
  EXPECT_NE(ktap.find("not ok 1 stock.b\n"), std::string::npos);
  EXPECT_NE(ktap.find("\nok 2 stock.a\n"), std::string::npos);
  EXPECT_NE(table_text(cases_).find("1 of 2 cases played; 0 noticed"), std::string::npos);
}

TEST_F(MatrixReportTest, TheTracePutsModelAndKernelOnOneClock) {
  const Json trace = trace_json(cases_[1]);
  const auto time_of = [&](const std::string& name) {
    for (const Json& event : trace["traceEvents"])
      if (event["name"] == name) return event["ts"].get<double>();
    return -1e9;
  };
  EXPECT_DOUBLE_EQ(time_of("doorbell.ring"), 500);
  EXPECT_DOUBLE_EQ(time_of("drm_sched_job_run"), 250);
  EXPECT_DOUBLE_EQ(time_of("mcu.status"), -1999);
}

TEST_F(MatrixReportTest, ThePageIsSelfContainedAndEscapesWhatItShows) {
  cases_[1].seen["log"].push_back({{"ms", 100}, {"text", "panthor <&\">"}});
  const std::string page = html_page(cases_);
  EXPECT_NE(page.find("panthor &lt;&amp;&quot;&gt;"), std::string::npos);
  EXPECT_EQ(page.find("http"), std::string::npos);
  EXPECT_EQ(page.find("<script"), std::string::npos);
}

TEST(Workloads, AreNamedOnceAndStaged) {
  for (const Workload& workload : workloads()) {
    EXPECT_EQ(&find_workload(workload.name), &workload);
    EXPECT_TRUE(workload.stage == "-" || (workload.stage.size() == 2 && workload.stage[0] == 'S'))
        << workload.name;
  }
  EXPECT_THROW((void)find_workload("no-such"), std::invalid_argument);
}

}  // namespace
}  // namespace harness
