// Prices, and the effect of interruptions on a training.
#include "policies/rental.hpp"

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

}  // namespace
}  // namespace policies
