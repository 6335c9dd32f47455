// Prices, and the effect of interruptions on a training.
#include "policies/rental.hpp"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

namespace policies {
namespace {

using namespace netmodels::literals;

TEST(Rental, CostsTimeTimesMachinesTimesPrice) {  // Scavenger, Fig. 10: 7.34 h of 16 machines are $15.8
  const Rental rental{.price = {0.13402 / 3600}};
  EXPECT_NEAR(rental.cost({7.34 * 3600}, 16).count, 15.74, 0.005);
}

TEST(Rental, WithoutInterruptionsTakesAsLongAsTheWork) {
  EXPECT_EQ((Rental{.price = {1}}).expected_time(100_s, 8), 100_s);
}

TEST(Rental, AnInterruptionPerCheckpointTakesEMinusOneAsLong) {  // K lambda c = 1
  const Rental rental{
      .price = {1}, .interruptions = {1.0 / 7200}, .checkpoint_every = 3600_s, .restore = 0_s};
  EXPECT_NEAR(rental.expected_time({36000}, 2).count, 36000 * (std::exp(1.0) - 1), 1e-6);
}

// For short pieces each of K lambda T interruptions loses half a piece and the restore.
TEST(Rental, RareInterruptionsCostHalfAPieceAndTheRestore) {
  const Rental rental{.price = {1}, .interruptions = {1e-7}, .checkpoint_every = 600_s, .restore = 60_s};
  const double work = 1e5;
  const double interruptions = 4 * 1e-7 * work;
  EXPECT_NEAR(rental.expected_time({work}, 4).count - work, interruptions * (300 + 60), 0.02);
}

TEST(Rental, MoreMachinesAreInterruptedMoreOften) {
  const Rental rental{.price = {1}, .interruptions = {1e-5}, .checkpoint_every = 600_s, .restore = 60_s};
  EXPECT_GT(rental.expected_time(1000_s, 16), rental.expected_time(1000_s, 8));
}

TEST(Rental, WritingACheckpointTakesPartOfEachPiece) {  // pieces of 600 s and 30 s of writing
  const Rental calm{.checkpoint_every = 600_s, .write = 30_s};
  EXPECT_NEAR(calm.expected_time(6000_s, 4).count, 6300, 1e-9);
  const Rental failing{.interruptions = {1.0 / 2520}, .checkpoint_every = 600_s, .write = 30_s};
  EXPECT_NEAR(failing.expected_time(600_s, 4).count, 630 * (std::exp(1.0) - 1), 1e-9);
}

// M = 100 h and w = 0.02 h, as in the example of Daly's figure: Young sqrt(2 x 0.02 x 100) h = 2 h.
TEST(Rental, IntervalsOfCheckpointsAreYoungsAndDalys) {
  const Rental rental{.interruptions = {1.0 / (400 * 3600.0)}, .write = 72_s};
  EXPECT_NEAR(rental.young_interval(4)->count, 7200, 1e-9);
  EXPECT_NEAR(rental.daly_interval(4)->count, 7200 * (1 + 0.01 / 3 + 0.0001 / 9) - 72, 1e-9);
  EXPECT_FALSE((Rental{.write = 72_s}).daly_interval(4));
  EXPECT_FALSE((Rental{.interruptions = {1}}).young_interval(4));
}

TEST(Rental, DalysIntervalIsTheMeanTimeWhereWritingTakesLonger) {  // w >= 2 M
  const Rental rental{.interruptions = {0.01}, .write = 200_s};
  EXPECT_NEAR(rental.daly_interval(1)->count, 100, 1e-9);
}

TEST(Rental, DalysIntervalIsNearTheBest) {
  Rental rental{.interruptions = {1e-4}, .restore = 100_s, .write = 60_s};
  const auto time_at = [&](double every) {
    rental.checkpoint_every = {every};
    return rental.expected_time(100000_s, 4).count;
  };
  const double daly = rental.daly_interval(4)->count;
  double best = time_at(daly);
  for (double every = 10; every < 5000; every += 1) best = std::min(best, time_at(every));
  EXPECT_NEAR(time_at(daly), best, 1e-3 * best);
}

}  // namespace
}  // namespace policies
