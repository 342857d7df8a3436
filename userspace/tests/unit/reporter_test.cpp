// SPDX-License-Identifier: MIT
#include "report/reporter.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "report/junit.hpp"

namespace harness {
namespace {

std::string print(OutputFormat format) {
  using namespace std::chrono_literals;
  ::testing::internal::CaptureStdout();
  const auto reporter = make_reporter(format);
  reporter->begin("smoke on renderD128", {"a.one", "a.two", "a.three"});
  reporter->step({"a.one", "First", 1500us, {}});
  reporter->step(
      {"a.two", "Second", 2ms, "word is 0x0, expected 0x1", {}, {"at stage S6"}, {{"stage", "S6"}}});
  reporter->end();
  return ::testing::internal::GetCapturedStdout();
}

TEST(Reporter, HumanHasALineAStepAndTotals) {
  const std::string text = print(OutputFormat::human);
  EXPECT_NE(text.find("pass  a.one"), std::string::npos) << text;
  EXPECT_NE(text.find("1.50 ms  First"), std::string::npos) << text;
  EXPECT_NE(text.find("FAIL  a.two"), std::string::npos) << text;
  EXPECT_NE(text.find("word is 0x0, expected 0x1"), std::string::npos) << text;
  EXPECT_NE(text.find("1 passed, 1 failed"), std::string::npos) << text;
}

TEST(Reporter, KtapHasThePlanAndNumberedResults) {
  const std::string text = print(OutputFormat::ktap);
  EXPECT_EQ(text.find("KTAP version 1\n"), 0u) << text;
  EXPECT_NE(text.find("\n1..3\n"), std::string::npos) << text;
  EXPECT_NE(text.find("\nok 1 a.one\n"), std::string::npos) << text;
  EXPECT_NE(text.find("\nnot ok 2 a.two\n"), std::string::npos) << text;
  EXPECT_NE(text.find("\n# at stage S6\n"), std::string::npos) << text;
  EXPECT_NE(text.find("\nok 3 a.three # SKIP not reached\n"), std::string::npos) << text;
  EXPECT_NE(text.find("# Totals: pass:1 fail:1 skip:1"), std::string::npos) << text;
}

TEST(Reporter, JsonIsOneObject) {
  const auto json = nlohmann::json::parse(print(OutputFormat::json));
  EXPECT_EQ(json["passed"], 1);
  EXPECT_EQ(json["skipped"], 1);
  EXPECT_EQ(json["steps"][1]["error"], "word is 0x0, expected 0x1");
  EXPECT_EQ(json["steps"][1]["stage"], "S6");
}

std::string junit(const std::vector<StepResult>& steps, const std::vector<std::string>& names) {
  const std::string path = ::testing::TempDir() + "reporter_test_junit.xml";
  const auto reporter = make_junit_reporter(path);
  reporter->begin("ladder on renderD128", names);
  for (const StepResult& step : steps) reporter->step(step);
  reporter->end();
  std::ifstream in(path);
  std::string text{std::istreambuf_iterator<char>(in), {}};
  std::filesystem::remove(path);
  return text;
}

TEST(JunitReporter, CountsFailuresAndSkips) {
  using namespace std::chrono_literals;
  const std::string text =
      junit({{"a", "", 1ms, {}}, {"b", "", 2ms, "no"}, {"c", "", 0ms, {}, "not root"}}, {"a", "b", "c", "d"});
  EXPECT_NE(text.find(R"(<testsuite name="ladder" tests="4" failures="1" skipped="2")"), std::string::npos)
      << text;
  EXPECT_NE(text.find(R"(name="a" time="0.001"></testcase>)"), std::string::npos) << text;
  EXPECT_NE(text.find(R"(<failure message="no"></failure>)"), std::string::npos) << text;
  EXPECT_NE(text.find(R"(<skipped message="not root"/>)"), std::string::npos) << text;
  EXPECT_NE(text.find(R"(name="d" time="0.000"><skipped message="not reached"/>)"), std::string::npos)
      << text;
}

TEST(JunitReporter, EscapesWhatXmlReserves) {
  EXPECT_EQ(xml_escape("a<b> & \"c\"\n\x01"), "a&lt;b&gt; &amp; &quot;c&quot; ?");
}

TEST(JunitReporter, RefusesAPathThatCannotBeWritten) {
  EXPECT_THROW((void)make_junit_reporter("/nowhere/junit.xml"), std::system_error);
}

}  // namespace
}  // namespace harness
