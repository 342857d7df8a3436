// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "bench/bench_report.hpp"
#include "bench/comparison.hpp"
#include "bench/workload.hpp"
#include "file_tree.hpp"

namespace harness {
namespace {

BenchRecord record_of(const std::vector<double>& figures, const std::string& pairing = "p",
                      const std::string& row = "bind.map_4k") {
  BenchRecord record{.clock = "wall",
                     .kernel = "7.2.13",
                     .driver = "1.8.0",
                     .gpu = "0xa8670005",
                     .pairing = pairing,
                     .runs = {}};
  for (const double ns : figures)
    record.runs.push_back({{{.name = row, .ops = 4, .ns_per_op = {ns, ns, ns}, .skipped = {}}}});
  return record;
}

std::string error_of(const std::string& text) {
  try {
    (void)parse_record(text, "x.json");
  } catch (const RecordError& error) {
    return error.what();
  }
  return {};
}

std::string with_row(const std::string& row) {
  return R"({"format":"panthor-bench","version":1,"clock":"wall","kernel":"k","driver":"d","gpu":"g","pairing":"","runs":[{"rows":[)" +
         row + "]}]}";
}

TEST(BenchRecord, ComesBackAsItWasWritten) {
  BenchRecord record = record_of({1.5, 2.5});
  record.runs[1].rows.push_back(
      {.name = "va.bind_64g", .ops = 0, .ns_per_op = {}, .skipped = "out of memory"});
  const BenchRecord back = parse_record(format_record(record), "x.json");
  EXPECT_EQ(format_record(back), format_record(record));
  EXPECT_EQ(back.runs[1].find("va.bind_64g")->skipped, "out of memory");
  EXPECT_EQ(back.row_names(), (std::vector<std::string>{"bind.map_4k", "va.bind_64g"}));
}

TEST(BenchRecord, WhatIsNoRecordIsOneLineThatNamesThePlace) {
  const std::string good = with_row(R"({"name":"a","ops":1,"ns_per_op":[1]})");
  ASSERT_EQ(error_of(good), "");
  const std::pair<std::string, const char*> cases[] = {
      {"", "JSON"},
      {good.substr(0, good.size() / 2), "JSON"},
      {std::string(100'000, '['), "JSON"},
      {"\xff\xfe", "JSON"},
      {"[]", "benchmark record"},
      {"null", "benchmark record"},
      {R"({"format":"other"})", "benchmark record"},
      {R"({"format":"panthor-bench","version":2})", "version is not 1"},
      {R"({"format":"panthor-bench","version":1})", "clock is not there"},
      {R"({"format":"panthor-bench","version":1,"clock":5})", "clock is not a string"},
      {with_row("7"), "runs[0].rows[0] is not an object"},
      {with_row(R"({"name":"a"})"), "runs[0].rows[0].ops is not there"},
      {with_row(R"({"name":"a","ops":0,"ns_per_op":[1]})"), "runs[0].rows[0].ops"},
      {with_row(R"({"name":"a","ops":-1,"ns_per_op":[1]})"), "runs[0].rows[0].ops"},
      {with_row(R"({"name":"a","ops":1e30,"ns_per_op":[1]})"), "runs[0].rows[0].ops"},
      {with_row(R"({"name":"a","ops":1,"ns_per_op":[]})"), "ns_per_op is not filled"},
      {with_row(R"({"name":"a","ops":1,"ns_per_op":7})"), "ns_per_op is not an array"},
      {with_row(R"({"name":"a","ops":1,"ns_per_op":[1,0]})"), "ns_per_op[1]"},
      {with_row(R"({"name":"a","ops":1,"ns_per_op":[-3]})"), "ns_per_op[0]"},
      {with_row(R"({"name":"a","ops":1,"ns_per_op":[1e300]})"), "ns_per_op[0]"},
      {with_row(R"({"name":"a","ops":1,"ns_per_op":["1"]})"), "ns_per_op[0]"},
      {with_row(R"({"name":"a\u001b[31m","ops":1,"ns_per_op":[1]})"), "name is not a line"},
      {with_row(R"({"name":"a","ops":1,"ns_per_op":[1]},{"name":"a","ops":1,"ns_per_op":[1]})"), "twice"},
  };
  for (const auto& [text, expected] : cases) {
    const std::string error = error_of(text);
    EXPECT_NE(error.find(expected), std::string::npos) << text.substr(0, 200) << ": " << error;
    EXPECT_TRUE(error.starts_with("x.json: ")) << error;
    EXPECT_EQ(error.find('\n'), std::string::npos);
  }
}

TEST(BenchRecord, AFileThatIsNotThereIsNamed) {
  for (const char* path : {"/nowhere/a.json", "/proc"}) {
    try {
      (void)read_record(path);
      ADD_FAILURE() << path;
    } catch (const RecordError& error) {
      EXPECT_TRUE(std::string(error.what()).starts_with(path)) << error.what();
    }
  }
}

TEST(BenchRecord, IsReplacedAndReadBack) {
  const FileTree tree;
  tree.file("record.json", "not a record");
  const auto path = tree.path("record.json");
  write_record(path, record_of({3}));
  EXPECT_EQ(read_record(path).runs.size(), 1u);
  EXPECT_THROW(write_record("/nowhere/x.json", record_of({3})), std::system_error);
}

TEST(BenchRecord, TakesNoRunOfAnotherMachine) {
  BenchRecord record = record_of({1});
  append_runs(record, record_of({2}), "x.json");
  EXPECT_EQ(record.runs.size(), 2u);
  BenchRecord other = record_of({2});
  other.kernel = "7.3.4";
  EXPECT_THROW(append_runs(record, other, "x.json"), RecordError);
}

TEST(Compare, EqualFiguresAreTheSame) {
  const std::vector<double> figures{100, 103, 98, 101, 99, 102, 100, 101};
  const Comparison same = compare(record_of(figures), record_of(figures), 1.02);
  EXPECT_EQ(same.design, Design::paired);
  EXPECT_EQ(same.rows.at(0).verdict, Verdict::same);
  EXPECT_DOUBLE_EQ(same.rows[0].ratio, 1);
  EXPECT_EQ(same.rows[0].observations, figures.size());
}

TEST(Compare, PairsHideWhatBothRunsSaw) {
  // The machine is up to twice as slow in some rounds; B is 3 % slower in each.
  std::vector<double> a, b;
  for (int i = 0; i < 8; ++i) {
    a.push_back(100 + 15.0 * i);
    b.push_back(a.back() * (1.03 + 0.002 * (i % 3 - 1)));
  }
  EXPECT_EQ(compare(record_of(a), record_of(b), 1.02).rows.at(0).verdict, Verdict::slower);
  EXPECT_EQ(compare(record_of(b), record_of(a), 1.02).rows.at(0).verdict, Verdict::faster);
  const Comparison unpaired = compare(record_of(a, ""), record_of(b, ""), 1.02);
  EXPECT_EQ(unpaired.design, Design::runs);
  EXPECT_EQ(unpaired.rows.at(0).verdict, Verdict::undecided);
}

TEST(Compare, TooFewRunsAreUndecidedNotTheSame) {
  EXPECT_EQ(compare(record_of({1, 1, 1}), record_of({1, 1, 1}), 1.02).rows.at(0).verdict, Verdict::undecided);
  const Comparison one = compare(record_of({100}, ""), record_of({100}, ""), 1.02);
  EXPECT_EQ(one.design, Design::batches);
  EXPECT_EQ(one.rows.at(0).verdict, Verdict::undecided) << "three batches a side have no interval";
}

TEST(Compare, ARowOfOneSideIsMissing) {
  BenchRecord a = record_of({1, 1}), b = record_of({1, 1});
  a.runs[0].rows.push_back({.name = "old", .ops = 1, .ns_per_op = {5}, .skipped = {}});
  for (BenchRun& run : b.runs)
    run.rows.push_back({.name = "old", .ops = 0, .ns_per_op = {}, .skipped = "no memory"});
  const Comparison comparison = compare(a, b, 1.02);
  ASSERT_EQ(comparison.rows.size(), 2u);
  EXPECT_EQ(comparison.rows[1].verdict, Verdict::missing);
  EXPECT_EQ(comparison.rows[1].note, "not in B: no memory");
  b.runs[0].rows[0].ops = b.runs[1].rows[0].ops = 8;
  EXPECT_THROW((void)compare(a, b, 1.02), RecordError) << "batches of other sizes are not comparable";
}

TEST(Compare, ClocksAreNotMixed) {
  BenchRecord b = record_of({1});
  b.clock = "guest-cpu";
  EXPECT_THROW((void)compare(record_of({1}), b, 1.02), RecordError);
  EXPECT_THROW((void)compare(record_of({1}), record_of({1}, "p", "other"), 1.02), RecordError);
}

TEST(Compare, ARunIsItsLowerQuartile) {
  EXPECT_DOUBLE_EQ(run_figure({.name = "x", .ops = 1, .ns_per_op = {10, 11, 12, 13, 900}, .skipped = {}}),
                   11);
}

TEST(BenchRows, HaveUniqueNamesInFamiliesAndMeasureSomething) {
  const auto rows = bench_rows();
  std::set<std::string_view> names;
  for (const BenchRow& row : rows) {
    EXPECT_TRUE(names.insert(row.name).second) << row.name;
    EXPECT_NE(row.name.find('.'), std::string_view::npos) << row.name;
    EXPECT_FALSE(row.description.empty()) << row.name;
    EXPECT_GT(row.ops, 0u) << row.name;
    EXPECT_NE(row.make, nullptr) << row.name;
  }
  for (const char* family : {"query.", "bo.", "bind.", "submit.", "va."})
    EXPECT_FALSE(bench_rows(family).empty());
  EXPECT_EQ(bench_rows("bind_64g").size(), 1u);
  EXPECT_TRUE(bench_rows("no such row").empty());
}

TEST(ShowNs, PicksAUnit) {
  EXPECT_EQ(show_ns(812.4), "812 ns");
  EXPECT_EQ(show_ns(12345), "12.3 us");
  EXPECT_EQ(show_ns(4.56e6), "4.56 ms");
  EXPECT_EQ(show_ns(2e9), "2 s");
}

}  // namespace
}  // namespace harness
