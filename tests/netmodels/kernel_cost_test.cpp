// Tests of finding the measured cost of a method at a size.
#include "netmodels/kernel_cost.hpp"

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

namespace netmodels {
namespace {

MeasuredKernel kernel_row(const char* method, std::int64_t smallest, std::int64_t largest) {
  return {.method = method, .cost = {}, .p90_error = 0, .smallest = smallest, .largest = largest};
}

TEST(MeasuredKernels, AreFoundByMethodAndNearestSize) {
  const std::vector<MeasuredKernel> rows{kernel_row("topk", 1000, 10'000), kernel_row("qsgd", 1, 5),
                                         kernel_row("topk", 100'000, 1'000'000)};
  EXPECT_EQ(find_measured_kernel(rows, "topk", 5000), &rows[0]);
  EXPECT_EQ(find_measured_kernel(rows, "topk", 200'000), &rows[2]);
  EXPECT_EQ(find_measured_kernel(rows, "topk", 10), &rows[0]);
  EXPECT_EQ(find_measured_kernel(rows, "topk", 0), &rows[0]);
  EXPECT_EQ(find_measured_kernel(rows, "topk", 30'000'000), &rows[2]);
  EXPECT_EQ(find_measured_kernel(rows, "topk", 30'000),
            &rows[0]);  // three times 10 000; 100 000 is 3.3 times more
  EXPECT_EQ(find_measured_kernel(rows, "topk", 33'000), &rows[2]);
  EXPECT_EQ(find_measured_kernel(rows, "qsgd", 100), &rows[1]);
  EXPECT_EQ(find_measured_kernel(rows, "dgc", 100), nullptr);
}

/// Of a million values 1 ms at 1 %, 4 ms at 4 %: as much as 20 % would be 20 ms.
const std::vector<RestoringCost> proportional{{0.01, {}, {1e-9}}, {0.04, {}, {4e-9}}};

TEST(RestoringTime, LiesOnALineOfLogarithmsBetweenMeasuredRatiosAndBeyond) {
  const std::vector<RestoringCost> rows{{0.001, {1e-3}, {}}, {0.01, {4e-3}, {}}, {0.1, {8e-3}, {}}};
  EXPECT_NEAR(restoring_time(rows, 1e6, 0.01).count, 4e-3, 1e-15);
  EXPECT_NEAR(restoring_time(rows, 1e6, 0.001).count, 1e-3, 1e-15);
  EXPECT_NEAR(restoring_time(rows, 1e6, std::sqrt(1e-5)).count, 2e-3, 1e-15);
  EXPECT_NEAR(restoring_time(rows, 1e6, 1).count, 16e-3, 1e-15);
  EXPECT_NEAR(restoring_time(rows, 1e6, 1e-4).count, 0.25e-3, 1e-15);
  EXPECT_NEAR(restoring_time(proportional, 1e6, 0.2).count, 20e-3, 1e-12);
}

TEST(RestoringTime, GrowsWithTheValuesAndIsOneWhereOneRatioWasMeasured) {
  EXPECT_NEAR(restoring_time(proportional, 3e6, 0.01).count, 3e-3, 1e-15);
  const std::vector<RestoringCost> one{{1, {2e-6}, {1e-9}}};
  EXPECT_NEAR(restoring_time(one, 1e6, 0.01).count, 1.002e-3, 1e-15);
}

TEST(RestoringTime, OfZeroHasNoLogarithm) {
  const std::vector<RestoringCost> rows{{0.01, {}, {}}, {0.1, {2e-3}, {}}};
  EXPECT_EQ(restoring_time(rows, 1e6, 0.01).count, 0);
  EXPECT_NEAR(restoring_time(rows, 1e6, std::sqrt(1e-3)).count, 1e-3, 1e-15);
  EXPECT_EQ(restoring_time(rows, 1e6, 0.001).count, 0);
}

}  // namespace
}  // namespace netmodels
