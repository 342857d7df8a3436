// SPDX-License-Identifier: MIT
#include "report/reporter.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace harness {
namespace {

std::string print(OutputFormat format) {
  using namespace std::chrono_literals;
  ::testing::internal::CaptureStdout();
  const auto reporter = make_reporter(format);
  reporter->begin("smoke", 2);
  reporter->step({"a.one", "First", 1500us, {}});
  reporter->step({"a.two", "Second", 2ms, "word is 0x0, expected 0x1"});
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
  EXPECT_NE(text.find("\n1..2\n"), std::string::npos) << text;
  EXPECT_NE(text.find("\nok 1 a.one\n"), std::string::npos) << text;
  EXPECT_NE(text.find("\nnot ok 2 a.two\n"), std::string::npos) << text;
}

TEST(Reporter, JsonIsOneObject) {
  const auto json = nlohmann::json::parse(print(OutputFormat::json));
  EXPECT_EQ(json["passed"], 1);
  EXPECT_EQ(json["steps"][1]["error"], "word is 0x0, expected 0x1");
}

}  // namespace
}  // namespace harness
