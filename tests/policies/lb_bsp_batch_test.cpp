// Predicted speeds by hand: the average, the barrier, the hysteresis.
#include "policies/lb_bsp_batch.hpp"

#include <gtest/gtest.h>

#include "tests/policies/batching_job.hpp"

namespace policies {
namespace {

BatchingJob lb_bsp_job(const LbBspBatch::Settings& settings, TimeOfBatch time) {
  return {std::make_unique<LbBspBatch>(settings, BatchBounds{}), {60, 60}, std::move(time)};
}

TEST(LbBspBatch, FollowsTheSpeedAtEveryBarrier) {
  LbBspBatch::Settings settings;
  settings.every = 5;
  BatchingJob run = lb_bsp_job(
      settings, [](std::uint32_t worker, int samples) { return (worker == 0 ? 3 : 1) * samples * 1e-3; });
  run.run(5);
  EXPECT_EQ(run.changes(), 0);
  EXPECT_TRUE(run.step());
  EXPECT_EQ(run.samples(), (std::vector<int>{30, 90}));
  EXPECT_EQ(run.run(100).changes(), 1);
}

// Speeds of 1000 and, once, 500 with weight 1/2: 750 against 1000, that is 51 and 69.
TEST(LbBspBatch, PredictsByAnAverage) {
  double slow = 1;
  LbBspBatch::Settings settings;
  settings.every = 1;
  settings.smoothing = 0.5;
  BatchingJob run = lb_bsp_job(
      settings, [&](std::uint32_t worker, int samples) { return (worker == 0 ? slow : 1) * samples * 1e-3; });
  run.run(3);
  slow = 2;
  run.step();
  EXPECT_EQ(run.samples(), (std::vector<int>{51, 69}));
}

TEST(LbBspBatch, StaysWithinTheHysteresis) {
  LbBspBatch::Settings settings;
  settings.every = 1;
  BatchingJob run = lb_bsp_job(
      settings, [](std::uint32_t worker, int samples) { return (worker == 0 ? 1.05 : 1) * samples * 1e-3; });
  EXPECT_EQ(run.run(50).changes(), 0);
}

}  // namespace
}  // namespace policies
