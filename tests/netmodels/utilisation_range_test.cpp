// Ranges of published utilisations: how far they widen, and what is said of it.
#include "netmodels/utilisation_range.hpp"

#include <cmath>

#include <gtest/gtest.h>

namespace netmodels {
namespace {

constexpr PublishedRuns dense_runs{.min_sequence = 4096, .max_sequence = 8192, .max_devices = 512};

TEST(UtilisationRange, InsideOfWhatWasPublishedIsThePublishedError) {
  UtilisationRange range{.of = "stack", .within = 0.05, .runs = dense_runs};
  EXPECT_FALSE(outside_kind(dense_runs, false));
  EXPECT_FALSE(outside_sequence(dense_runs, 4096));
  EXPECT_FALSE(outside_sequence(dense_runs, 8192));
  EXPECT_FALSE(outside_devices(dense_runs, 512));
  EXPECT_FALSE(outside_devices(dense_runs, 1));
  EXPECT_DOUBLE_EQ(range.slower(), 1.05);
  EXPECT_DOUBLE_EQ(range.faster(), 1.05);
  EXPECT_EQ(describe_outside(range), "");
}

TEST(UtilisationRange, WidensByEachDoublingOfTheSequence) {  // 8 % each, four of them above, one below
  const auto longer = outside_sequence(dense_runs, 131072);
  ASSERT_TRUE(longer);
  EXPECT_NEAR(longer->slower, std::pow(1.08, 4), 1e-12);
  EXPECT_NEAR(longer->faster, std::pow(1.08, 4), 1e-12);
  EXPECT_EQ(longer->reason, "sequence 131072, at most 8192 was measured");
  const auto shorter = outside_sequence(dense_runs, 2048);
  ASSERT_TRUE(shorter);
  EXPECT_NEAR(shorter->slower, 1.08, 1e-12);
  EXPECT_EQ(shorter->reason, "sequence 2048, at least 4096 was measured");
}

TEST(UtilisationRange, MoreDevicesThanMeasuredCanOnlyLoseTime) {  // 5 % for each of two doublings
  const auto more = outside_devices(dense_runs, 2048);
  ASSERT_TRUE(more);
  EXPECT_NEAR(more->slower, 1.05 * 1.05, 1e-12);
  EXPECT_DOUBLE_EQ(more->faster, 1);
  EXPECT_EQ(more->reason, "2048 GPUs, at most 512 were measured");
}

TEST(UtilisationRange, ExpertsMayReachAQuarterOfADenseModel) {
  const auto kind = outside_kind(dense_runs, true);
  ASSERT_TRUE(kind);
  EXPECT_DOUBLE_EQ(kind->slower, 4);
  EXPECT_DOUBLE_EQ(kind->faster, 1);
  PublishedRuns with_experts = dense_runs;
  with_experts.experts = true;
  EXPECT_FALSE(outside_kind(with_experts, true));
}

TEST(UtilisationRange, ReasonsAddUpAsSquaresOfLogarithms) {  // ln^2 1.05 + ln^2 2.1 + ln^2 1.53
  UtilisationRange range{.of = "stack", .within = 0.05, .runs = {}};
  range.outside = {other_device("rtx_4090_datasheet", "h100_sxm_datasheet"), other_precision("fp8", "bf16")};
  const double expected = std::exp(
      std::sqrt(std::pow(std::log(1.05), 2) + std::pow(std::log(2.1), 2) + std::pow(std::log(1.53), 2)));
  EXPECT_NEAR(range.slower(), expected, 1e-12);
  EXPECT_NEAR(range.faster(), expected, 1e-12);
  EXPECT_EQ(
      describe_outside(range),
      "outside of what was published: rtx_4090_datasheet, h100_sxm_datasheet was measured; fp8, bf16 was "
      "measured; range widened to 42 to 236 % of the predicted time");
}

TEST(UtilisationRange, ItsDevicesCountOnce) {
  UtilisationRange range{.of = "stack", .within = 0, .runs = dense_runs};
  range.devices = outside_devices(dense_runs, 1024);
  EXPECT_NEAR(range.slower(), 1.05, 1e-12);
  EXPECT_DOUBLE_EQ(range.faster(), 1);
  range.outside.push_back(frozen_weights(1.5));
  EXPECT_GT(range.slower(), 1.5);
  EXPECT_EQ(range.all_outside().size(), 2U);
}

}  // namespace
}  // namespace netmodels
