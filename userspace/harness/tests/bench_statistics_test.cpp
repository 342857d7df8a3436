// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <stdexcept>
#include <vector>

#include "bench/statistics.hpp"

namespace harness::stats {
namespace {

TEST(Quantile, InterpolatesBetweenNeighboursInAnyOrder) {
  const std::vector<double> values{4, 1, 3, 2};
  EXPECT_DOUBLE_EQ(quantile(values, 0), 1);
  EXPECT_DOUBLE_EQ(quantile(values, 0.5), 2.5);
  EXPECT_DOUBLE_EQ(quantile(values, 0.25), 1.75);
  EXPECT_DOUBLE_EQ(quantile(values, 1), 4);
  EXPECT_DOUBLE_EQ(quantile(std::vector<double>{7}, 0.25), 7);
  EXPECT_THROW((void)quantile(std::vector<double>{}, 0.5), std::invalid_argument);
}

TEST(PairedShift, HasNoIntervalBelowSixPairs) {
  EXPECT_FALSE(paired_shift(std::vector<double>{1, 2, 3, 4, 5}, 0.95).interval);
  const Estimate six = paired_shift(std::vector<double>{1, 2, 3, 4, 5, 6}, 0.95);
  ASSERT_TRUE(six.interval);
  // With six, only the extremes are rare enough: 2 / 64 < 5 %.
  EXPECT_DOUBLE_EQ(six.interval->low, 1);
  EXPECT_DOUBLE_EQ(six.interval->high, 6);
  EXPECT_DOUBLE_EQ(six.value, 3.5);
}

TEST(PairedShift, FindsTheTabulatedRanksForTwelvePairs) {
  // n = 12, two-sided 5 %: the tables reject up to W = 13, so the 14th average of either end bounds the
  // interval.
  std::vector<double> values;
  for (int i = 0; i < 12; ++i) values.push_back(std::pow(2.0, i));
  std::vector<double> averages;
  for (size_t i = 0; i < values.size(); ++i)
    for (size_t j = i; j < values.size(); ++j) averages.push_back((values[i] + values[j]) / 2);
  std::sort(averages.begin(), averages.end());
  const Estimate estimate = paired_shift(values, 0.95);
  ASSERT_TRUE(estimate.interval);
  EXPECT_DOUBLE_EQ(estimate.interval->low, averages[13]);
  EXPECT_DOUBLE_EQ(estimate.interval->high, averages[averages.size() - 14]);
}

TEST(PairedShift, IsNotMovedByOneWildPair) {
  const std::vector<double> calm{1.0, 1.1, 0.9, 1.05, 0.95, 1.02, 0.98, 1.01, 0.99, 1.0};
  std::vector<double> wild = calm;
  wild[3] = 1000;
  EXPECT_NEAR(paired_shift(wild, 0.95).value, paired_shift(calm, 0.95).value, 0.05);
}

TEST(UnpairedShift, HasNoIntervalBelowFourASide) {
  EXPECT_FALSE(unpaired_shift(std::vector<double>{1, 2, 3}, std::vector<double>{2, 3, 4}, 0.95).interval);
  const Estimate four =
      unpaired_shift(std::vector<double>{1, 2, 3, 4}, std::vector<double>{11, 12, 13, 14}, 0.95);
  ASSERT_TRUE(four.interval);
  EXPECT_DOUBLE_EQ(four.value, 10);
  EXPECT_DOUBLE_EQ(four.interval->low, 7);
  EXPECT_DOUBLE_EQ(four.interval->high, 13);
}

TEST(UnpairedShift, FindsTheTabulatedRanksForTenASide) {
  // m = n = 10, two-sided 5 %: the tables reject up to U = 23.
  std::vector<double> a, b, differences;
  for (int i = 0; i < 10; ++i) {
    a.push_back(std::pow(2.0, i));
    b.push_back(std::pow(3.0, i));
  }
  for (const double x : a)
    for (const double y : b) differences.push_back(y - x);
  std::sort(differences.begin(), differences.end());
  const Estimate estimate = unpaired_shift(a, b, 0.95);
  ASSERT_TRUE(estimate.interval);
  EXPECT_DOUBLE_EQ(estimate.interval->low, differences[23]);
  EXPECT_DOUBLE_EQ(estimate.interval->high, differences[differences.size() - 24]);
}

TEST(Shifts, GoOnWithoutAJumpWhereTheApproximationBegins) {
  std::mt19937 random(1);
  std::normal_distribution<double> normal;
  std::vector<double> values;
  for (int i = 0; i < 50; ++i) values.push_back(normal(random));
  const auto width = [&] {
    const Estimate estimate = paired_shift(values, 0.95);
    return estimate.interval->high - estimate.interval->low;
  };
  const double exact = width();
  values.push_back(0);
  EXPECT_NEAR(width() / exact, 1, 0.1);
}

TEST(Shifts, HoldTheTruthAboutAsOftenAsTheySay) {
  std::mt19937 random(7);
  std::exponential_distribution<double> tail;
  int held = 0;
  constexpr int trials = 400;
  for (int trial = 0; trial < trials; ++trial) {
    std::vector<double> differences;
    for (int i = 0; i < 12; ++i) differences.push_back(tail(random) - tail(random));  // symmetric about 0
    const Estimate estimate = paired_shift(differences, 0.95);
    held += estimate.interval->low <= 0 && estimate.interval->high >= 0;
  }
  EXPECT_GT(held, trials * 92 / 100);
}

TEST(Shifts, TakeHugeInputs) {
  std::vector<double> many(200'000);
  for (size_t i = 0; i < many.size(); ++i) many[i] = static_cast<double>(i % 1000);
  EXPECT_NEAR(unpaired_shift(many, many, 0.95).value, 0, 1);
  EXPECT_NEAR(paired_shift(many, 0.95).value, 499.5, 2);
}

}  // namespace
}  // namespace harness::stats
