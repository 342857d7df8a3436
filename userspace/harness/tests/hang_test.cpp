// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <set>

#include "file_tree.hpp"
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
          {"kernel", "7.2.13-panthor-lab"},
          {"detector", false},
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
  EXPECT_FALSE(judged.naming);
  EXPECT_EQ(judged.complaint, "");
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
  EXPECT_EQ(judge(seen).detector->stages.text(), "S4");
  EXPECT_EQ(judge(seen).detector->cause, "no-ack");
  EXPECT_FALSE(judge(seen).kernel_log);
  EXPECT_EQ(judge(seen).naming, Judgement::Naming::exact);
  seen["autopsy"] = {{"stages", Json::array({"S7"})}, {"ms", 4000}};
  EXPECT_EQ(judge(seen).naming, Judgement::Naming::wrong);
  EXPECT_NE(judge(seen).complaint, "");
  seen["autopsy"]["stages"] = Json::array({"S2", "S4"});
  EXPECT_EQ(judge(seen).naming, Judgement::Naming::among_others);
  EXPECT_EQ(judge(seen).complaint, "");
  EXPECT_EQ(judge(seen).noticed_ms(), 3050);
}

TEST(Judgement, AnIoctlAndAJobMayStopForOneCause) {
  Json seen = silent("S0,S3");
  for (const char* stage : {"S0", "S3"}) {
    seen["autopsy"] = {{"stages", Json::array({stage})}, {"ms", 4000}};
    EXPECT_EQ(judge(seen).naming, Judgement::Naming::exact) << stage;
  }
  seen["autopsy"]["stages"] = Json::array({"S4"});
  EXPECT_EQ(judge(seen).naming, Judgement::Naming::wrong);
}

TEST(Judgement, AKernelWithTheDetectorHasToNameAndToEndIt) {
  Json seen = silent();
  seen["detector"] = true;
  EXPECT_EQ(judge(seen).complaint, "nobody notices");
  seen["autopsy"] = {{"stages", Json::array({"S4", "S5"})}, {"ms", 4000}};
  EXPECT_EQ(judge(seen).complaint, "no tool names just that stage");
  seen["autopsy"]["stages"] = Json::array({"S4"});
  EXPECT_EQ(judge(seen).complaint, "broken hardware keeps the process waiting");
  seen["end"] = {{"ms", 5000}, {"failed", true}, {"text", "ENODEV"}};
  EXPECT_EQ(judge(seen).complaint, "");
  seen["fresh"] =
      seen["after"] = {{"passed", false}, {"left_behind", false}, {"error", "No space left on device"}};
  EXPECT_EQ(judge(seen).complaint, "without the cause a fresh process still fails");
  seen["after"]["error"] = "open: No such device";
  EXPECT_EQ(judge(seen).complaint, "") << "the device is gone, and says so";
  seen = silent();
  seen["detector"] = true;
  seen["end"] = {{"ms", 5}, {"failed", false}, {"text", ""}};
  EXPECT_EQ(judge(seen).complaint, "") << "what ends at once is no hang";
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
  EXPECT_EQ(judge(seen).fresh, Judgement::Fresh::fails);
}

class MatrixReportTest : public testing::Test {
 protected:
  [[nodiscard]] std::vector<std::string> kinds() const { return kinds_in(tree_.path("kinds.list")); }

  MatrixReportTest() {
    tree_.file("kinds.list", "# comment\nb S4 hang=plain\na S4 fault=x   # why\nc S1 hang=in-fence\n");
    tree_.file("stock/a/case.json", silent().dump());
    tree_.file("stock/b/error", "the workload could not be prepared\nmore\n");
    tree_.file("stock/a/guest/model.log",
               "1000 mcu.status value=0x1\n2000000 model.mark word=start\n2500000 doorbell.ring id=1\n");
    tree_.file("stock/a/trace",
               "# tracer: nop\n    kworker/u4:1-41      [000] .....     5.000250: "
               "drm_sched_job_run: dev=gpu, id=3\n");
    cases_ = load_matrix(tree_.root(), kinds(), {"stock"});
  }

  FileTree tree_;
  Matrix cases_;
};

TEST_F(MatrixReportTest, OrderIsTheListsAndWhatWasNotPlayedFails) {
  ASSERT_EQ(cases_.size(), 2u);
  EXPECT_EQ(cases_[0].kind, "b");
  EXPECT_EQ(cases_[0].complaint(), "not played: the workload could not be prepared");
  EXPECT_EQ(cases_[0].why, "the workload could not be prepared");
  EXPECT_EQ(cases_[1].complaint(), "");
  const std::string ktap = ktap_text(cases_);
  EXPECT_NE(ktap.find("1..2\n"), std::string::npos);
  EXPECT_NE(ktap.find("not ok 1 stock.b\n"), std::string::npos);
  EXPECT_NE(ktap.find("\nok 2 stock.a\n"), std::string::npos);
  EXPECT_NE(table_text(cases_).find("7.2 stock: 1 of 1 kinds hang; 0 noticed"), std::string::npos);
}

TEST_F(MatrixReportTest, TheTracePutsModelAndKernelOnOneClock) {
  const Json trace = trace_json(cases_[1]);
  const auto time_of = [&](const std::string& name) {
    for (const Json& event : trace["traceEvents"])
      if (event["name"] == name) return event["ts"].get<double>();
    return -1e9;
  };
  const double begin = time_of("waits");
  EXPECT_DOUBLE_EQ(time_of("doorbell.ring"), begin + 500);
  EXPECT_DOUBLE_EQ(time_of("drm_sched_job_run"), begin + 250);
  EXPECT_DOUBLE_EQ(time_of("mcu.status"), begin - 1999);
}

/// What ui.perfetto.dev's importer of Chrome's trace event format asks for.
TEST_F(MatrixReportTest, TheTraceIsValidAndInTheOrderOfItsTimes) {
  const Json trace = Json::parse(trace_json(cases_[1]).dump());
  ASSERT_TRUE(trace["traceEvents"].is_array());
  std::set<std::pair<int, int>> named;
  double last = 0;
  size_t timed = 0;
  for (const Json& event : trace["traceEvents"]) {
    SCOPED_TRACE(event.dump());
    ASSERT_TRUE(event["name"].is_string() && event["ph"].is_string() && event["ts"].is_number() &&
                event["pid"].is_number_integer() && event["tid"].is_number_integer());
    EXPECT_GE(event["ts"].get<double>(), last);
    last = event["ts"];
    const std::pair<int, int> thread(event["pid"], event["tid"]);
    if (event["ph"] == "M") {
      EXPECT_TRUE(event["args"]["name"].is_string());
      named.insert(thread);
      continue;
    }
    EXPECT_TRUE(named.contains(thread));
    EXPECT_TRUE(event["ph"] == "i" ? event["s"] == "t" : event["ph"] == "X" && event["dur"] >= 0);
    ++timed;
  }
  EXPECT_EQ(timed, 6u) << "the wait, the death, three lines of the model, one of the kernel";
}

TEST_F(MatrixReportTest, AnotherRunsCasesAreFurtherColumns) {
  tree_.file("other.json", matrix_json(cases_).dump());
  Matrix other = load_matrix(tree_.path("other.json"));
  ASSERT_EQ(other.size(), 2u);
  other[1].seen["kernel"] = "7.0.0";
  const Matrix both = merge(std::move(other), std::move(cases_), kinds());
  EXPECT_EQ(both[2].column() + ", " + both[3].column(), "7.0 stock, 7.2 stock");
  const std::string page = markdown_page(both);
  EXPECT_NE(page.find("\n| kind | stage | provoked by | 7.0 stock | 7.2 stock |\n"), std::string::npos)
      << page;
  EXPECT_NE(
      page.find("\n| a | S4 | fault=csg-ack-lost hang=plain | **sleeps, silent** | **sleeps, silent** |\n"),
      std::string::npos)
      << page;
  tree_.file("nonsense.json", "[]");
  EXPECT_THROW((void)load_matrix(tree_.path("nonsense.json")), std::invalid_argument);
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
