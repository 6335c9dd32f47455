// Costs of compressors over size and ratio: recovered from times that follow them, and judged by held-out
// sizes.
#include "calibrate/fits/kernel_cost.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace calibrate::fits {
namespace {

using measurements::KernelTime;
using netmodels::KernelCost;
using netmodels::Seconds;
using ::testing::HasSubstr;

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
  EXPECT_NEAR(fit.cost.fixed.count, truth.fixed.count, 1e-12);
  EXPECT_NEAR(fit.cost.per_value.count, truth.per_value.count, 1e-16);
  EXPECT_NEAR(fit.cost.per_kept.count, truth.per_kept.count, 1e-15);
  EXPECT_LT(fit.held_out.worst, 1e-9);
  EXPECT_EQ(fit.smallest, 10'000);
  EXPECT_EQ(fit.largest, 10'000'000);
}

TEST(KernelCosts, AreNeverNegative) {  // faster for large gradients than a line through the origin allows
  std::vector<KernelTime> times{time_at(1000, 1), time_at(2000, 1), time_at(4000, 1)};
  times[0].median = Seconds{1e-6};
  times[1].median = Seconds{3e-6};
  times[2].median = Seconds{9e-6};
  const KernelCost cost = fit_kernel_costs(times)->front().cost;
  EXPECT_EQ(cost.fixed.count, 0);
  EXPECT_GT((cost.per_value + cost.per_kept).count, 0);
}

TEST(KernelCosts, AreJudgedBySizesThatTheyHaveNotSeen) {  // one size is a tenth too slow
  std::vector<KernelTime> times = lawful();
  for (KernelTime& time : times)
    if (time.elements == 1'000'000) time.median *= 1.1;
  const auto fits = fit_kernel_costs(times);
  EXPECT_GT(fits->front().held_out.worst, 0.08);
  EXPECT_LT(fits->front().held_out.median, 0.1);
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
  EXPECT_NEAR(fits->front().cost.per_value.count, truth.per_value.count, 1e-16);
  EXPECT_NEAR(fits->back().cost.per_value.count, 3 * truth.per_value.count, 1e-15);
  EXPECT_LT(fits->front().held_out.worst, 1e-9);
  EXPECT_LT(fits->back().held_out.worst, 1e-9);
  EXPECT_GT(fit_kernel_costs(times)->front().held_out.worst, 0.1);
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

TEST(KernelCosts, ArePrintedPerMillion) {
  const auto fits = fit_kernel_costs(lawful());
  const std::string text = print_kernel_costs({"a device", {"made up"}, lawful()}, *fits, "k.csv", "1.0");
  EXPECT_THAT(
      text,
      HasSubstr("device: 'a device'\nkernels:\n  - {method: 'topk', fixed: 20 us, per_million_values: 1 "
                "ms, per_million_kept: 20 ms, smallest: 10000, largest: 10000000, "));
}

}  // namespace
}  // namespace calibrate::fits
