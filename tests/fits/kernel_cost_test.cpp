// Costs of compressors over size and ratio: recovered from times that follow them, and judged by held-out
// sizes.
#include "calibrate/fits/kernel_cost.hpp"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace calibrate::fits {
namespace {

using measurements::KernelTime;
using netmodels::KernelCost;
using netmodels::Seconds;
using ::testing::HasSubstr;
using ::testing::Not;

const KernelCost truth{{2e-5}, {1e-9}, {2e-8}};

KernelTime time_at(std::int64_t elements, double ratio, double factor = 1) {
  const Seconds time = truth.time(static_cast<double>(elements), ratio) * factor;
  return {"topk", elements, ratio, 5, time, time, time, {1e-6}, {8}};
}

std::vector<KernelTime> lawful() {
  std::vector<KernelTime> times;
  for (const std::int64_t n : {10'000, 100'000, 1'000'000, 10'000'000})
    for (const double ratio : {0.1, 0.01, 0.001}) times.push_back(time_at(n, ratio));
  return times;
}

TEST(KernelCosts, AreFoundAgainInTimesThatFollowThem) {
  const auto fits = fit_kernel_costs(lawful());
  ASSERT_TRUE(fits);
  ASSERT_EQ(fits->size(), 1U);
  const KernelCostFit& fit = fits->front();
  EXPECT_NEAR(fit.step.cost.fixed.count, truth.fixed.count, 1e-12);
  EXPECT_NEAR(fit.step.cost.per_value.count, truth.per_value.count, 1e-16);
  EXPECT_NEAR(fit.step.cost.per_kept.count, truth.per_kept.count, 1e-15);
  EXPECT_LT(fit.step.held_out.worst, 1e-9);
  EXPECT_EQ(fit.smallest, 10'000);
  EXPECT_EQ(fit.largest, 10'000'000);
}

TEST(KernelCosts, AreNeverNegative) {  // faster for large gradients than a line through the origin allows
  std::vector<KernelTime> times{time_at(1000, 1), time_at(2000, 1), time_at(4000, 1)};
  times[0].median = Seconds{1e-6};
  times[1].median = Seconds{3e-6};
  times[2].median = Seconds{9e-6};
  const KernelCost cost = fit_kernel_costs(times)->front().step.cost;
  EXPECT_EQ(cost.fixed.count, 0);
  EXPECT_GT((cost.per_value + cost.per_kept).count, 0);
}

TEST(KernelCosts, AreJudgedBySizesThatTheyHaveNotSeen) {  // one size is a tenth too slow
  std::vector<KernelTime> times = lawful();
  for (KernelTime& time : times)
    if (time.elements == 1'000'000) time.median *= 1.1;
  const auto fits = fit_kernel_costs(times);
  EXPECT_GT(fits->front().step.held_out.worst, 0.08);
  EXPECT_LT(fits->front().step.held_out.median, 0.1);
}

TEST(KernelCosts, NeedThreeSizes) {
  const auto fits = fit_kernel_costs(std::vector<KernelTime>{time_at(10, 1), time_at(20, 1)});
  ASSERT_FALSE(fits);
  EXPECT_EQ(fits.error().text(), "topk was measured at 2 sizes; measure at 3 sizes at least");
}

TEST(KernelCosts, WithinACacheAndBeyondAreFittedApart) {  // three times as slow beyond 2^20 bytes
  std::vector<KernelTime> times;
  for (const std::int64_t n : {10'000, 50'000, 262'144, 262'145, 1'000'000, 10'000'000})
    for (const double ratio : {0.1, 0.01}) times.push_back(time_at(n, ratio, n > 262'144 ? 3 : 1));
  const auto fits = fit_kernel_costs(times, netmodels::Bytes{1 << 20});
  ASSERT_TRUE(fits);
  ASSERT_EQ(fits->size(), 2U);
  EXPECT_EQ(fits->front().largest, 262'144);
  EXPECT_EQ(fits->back().smallest, 262'145);
  EXPECT_NEAR(fits->front().step.cost.per_value.count, truth.per_value.count, 1e-16);
  EXPECT_NEAR(fits->back().step.cost.per_value.count, 3 * truth.per_value.count, 1e-15);
  EXPECT_LT(fits->front().step.held_out.worst, 1e-9);
  EXPECT_LT(fits->back().step.held_out.worst, 1e-9);
  EXPECT_GT(fit_kernel_costs(times)->front().step.held_out.worst, 0.1);
}

TEST(KernelCosts, NeedThreeSizesOnEachSideOfTheCache) {
  const auto fits = fit_kernel_costs(lawful(), netmodels::Bytes{4'000'000});
  ASSERT_FALSE(fits);
  EXPECT_EQ(fits.error().text(),
            "topk was measured at 1 sizes beyond the cache; measure at 3 sizes at least");
}

TEST(KernelCosts, OfAllSizesOnOneSideOfTheCacheAreOneRow) {
  const auto fits = fit_kernel_costs(lawful(), netmodels::Bytes{1e9});
  ASSERT_TRUE(fits);
  EXPECT_EQ(fits->size(), 1U);
}

/// 1 us, and of each value 0.2 ns at every ratio and 3 ns of the square root of the share that is kept.
Seconds restoring(const KernelTime& time) {
  return Seconds{1e-6 + static_cast<double>(time.elements) * (2e-10 + 3e-9 * std::sqrt(time.ratio))};
}

std::vector<KernelTime> restored() {
  std::vector<KernelTime> times = lawful();
  for (KernelTime& time : times) time.restore = restoring(time);
  return times;
}

TEST(KernelCosts, OfRestoringAreFoundRatioByRatioWhereAllTimesTellThem) {
  std::vector<KernelTime> times = restored();
  const auto fits = fit_kernel_costs(times);
  ASSERT_TRUE(fits);
  ASSERT_TRUE(fits->front().restoring);
  const auto& found = fits->front().restoring->costs;
  ASSERT_EQ(found.size(), 3U);
  EXPECT_EQ(found[0].ratio, 0.001);
  EXPECT_EQ(found[2].ratio, 0.1);
  EXPECT_NEAR(found[1].fixed.count, 1e-6, 1e-13);
  EXPECT_NEAR(found[1].per_value.count, 5e-10, 1e-17);
  EXPECT_LT(fits->front().restoring->held_out.worst, 1e-9);
  EXPECT_EQ(fits->front().step, fit_kernel_costs(lawful())->front().step);
  times.back().restore.reset();
  EXPECT_FALSE(fit_kernel_costs(times)->front().restoring);
}

/// Steps of 1 ms; restoring takes 10 us but at one size.
TEST(KernelCosts, OfRestoringAreJudgedByWhatCompressingAndRestoringSixteenMessagesTakes) {
  std::vector<KernelTime> times;
  for (const std::int64_t n : {1000, 2000, 3000, 4000})
    times.push_back(
        {"topk", n, 0.1, 5, {1e-3}, {1e-3}, {1e-3}, {1e-6}, {8}, Seconds{n == 4000 ? 4e-5 : 1e-5}});
  const JudgedRestoring fit = *fit_kernel_costs(times)->front().restoring;
  EXPECT_NEAR(fit.held_out.worst, 15 * 3e-5 / (1e-3 + 15 * 4e-5), 1e-9);  // where that size is held out
}

TEST(KernelCosts, OfRestoringArePrintedBehindThoseOfAStep) {
  const std::string text =
      print_kernel_costs({"a device", {}, restored()}, *fit_kernel_costs(restored()), "k.csv", "1.0");
  EXPECT_THAT(text, HasSubstr(" %,\n     restore: [{ratio: 0.001, fixed: 1 us, per_million_values: "));
  EXPECT_THAT(text, HasSubstr("{ratio: 0.01, fixed: 1 us, per_million_values: 500 us}, {ratio: 0.1, "));
  EXPECT_THAT(text, HasSubstr("}], restore_median_error: "));
  EXPECT_THAT(text, HasSubstr("errors are of compressing and\n# restoring 16 messages.\n"));
}

TEST(KernelCosts, ArePrintedPerMillion) {
  const auto fits = fit_kernel_costs(lawful());
  const std::string text = print_kernel_costs({"a device", {"made up"}, lawful()}, *fits, "k.csv", "1.0");
  EXPECT_THAT(
      text,
      HasSubstr("device: 'a device'\nkernels:\n  - {method: 'topk', fixed: 20 us, per_million_values: 1 "
                "ms, per_million_kept: 20 ms, smallest: 10000, largest: 10000000, "));
  EXPECT_THAT(text, Not(HasSubstr("restore: ")));
}

}  // namespace
}  // namespace calibrate::fits
