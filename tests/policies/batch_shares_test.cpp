// Shares of the batch, rule by rule.
#include "policies/batch_shares.hpp"

#include <gtest/gtest.h>

#include "tests/policies/batching_job.hpp"

namespace policies {

// Static batching by hand: the published levels of heterogeneity, and workers that are lost.

namespace {

BatchingJob with_cores(std::vector<double> cores, const BatchBounds& bounds = {}) {
  BatchingJob job(std::make_unique<ProportionalBatch>(ProportionalBatch::Settings{}, bounds),
                  std::vector<int>(cores.size(), 64),
                  [](std::uint32_t, int samples) { return samples * 1e-3; });
  job.states(std::move(cores));
  return job;
}

TEST(ProportionalBatch, FollowsTheCoresAndHoldsTheGlobalBatch) {
  EXPECT_EQ(with_cores({9, 12, 18}).run(1).samples(), (std::vector<int>{44, 59, 89}));
  EXPECT_EQ(with_cores({4, 11, 24}).run(1).samples(), (std::vector<int>{20, 54, 118}));
  EXPECT_EQ(with_cores({2, 17, 20}).run(1).samples(), (std::vector<int>{10, 84, 98}));
}

TEST(ProportionalBatch, DecidesOnceAndNotWhereNothingDiffers) {
  EXPECT_EQ(with_cores({4, 11, 24}).run(50).changes(), 1);
  EXPECT_EQ(with_cores({13, 13, 13}).run(50).changes(), 0);
}

TEST(ProportionalBatch, KeepsTheBounds) {
  EXPECT_EQ(with_cores({2, 17, 20}, {16, 96, {}}).run(1).samples(), (std::vector<int>{16, 81, 95}));
}

TEST(ProportionalBatch, DecidesAgainWhenAWorkerIsLost) {
  const auto policy = std::make_unique<ProportionalBatch>(ProportionalBatch::Settings{}, BatchBounds{});
  const std::vector<WorkerObservation> three{{0, 64, {}, 1, {}}, {1, 64, {}, 1, {}}, {2, 64, {}, 2, {}}};
  EXPECT_EQ(policy->decide({0, 0, three}), (std::vector<int>{48, 48, 96}));
  const std::vector<WorkerObservation> two{{0, 48, {}, 1, {}}, {2, 96, {}, 2, {}}};
  EXPECT_EQ(policy->decide({1, 0, two}), (std::vector<int>{43, 85}));  // 128 in all
}

}  // namespace

// One second of every stream, within bounds, following the stream.

namespace {

BatchingJob streaming(std::vector<double> rates) {
  BatchingJob job(std::make_unique<StreamRateBatch>(StreamRateBatch::Settings{}, BatchBounds{8, 1024, {}}),
                  std::vector<int>(rates.size(), 64),
                  [](std::uint32_t, int samples) { return samples * 1e-3; });
  job.streams(std::move(rates));
  return job;
}

TEST(StreamRateBatch, TakesOneSecondOfTheStreamWithinBounds) {
  EXPECT_EQ(streaming({50, 38.4, 2, 5000}).run(1).samples(), (std::vector<int>{50, 38, 8, 1024}));
}

TEST(StreamRateBatch, FollowsARateThatChanges) {
  BatchingJob job = streaming({50, 38});
  EXPECT_EQ(job.run(20).changes(), 1);
  job.streams({50, 76});
  EXPECT_EQ(job.run(20).samples(), (std::vector<int>{50, 76}));
  EXPECT_EQ(job.changes(), 2);
}

TEST(StreamRateBatch, WithoutStreamsNothingChanges) {
  EXPECT_EQ(streaming({64}).streams({}).run(9).changes(), 0);
}

}  // namespace

// DBS by hand: once an epoch, by the speed in the epoch before.

namespace {

BatchingJob dbs_job(TimeOfBatch time) {
  BatchingJob job(std::make_unique<DbsBatch>(DbsBatch::Settings{}, BatchBounds{}), {60, 60}, std::move(time));
  job.epochs_of(10);
  return job;
}

TEST(DbsBatch, FollowsTheSpeedOnceAnEpoch) {  // three times as fast: 30 and 90
  BatchingJob run =
      dbs_job([](std::uint32_t worker, int samples) { return (worker == 0 ? 3 : 1) * samples * 1e-3; });
  run.run(10);
  EXPECT_EQ(run.changes(), 0);
  EXPECT_TRUE(run.step());
  EXPECT_EQ(run.samples(), (std::vector<int>{30, 90}));
  EXPECT_EQ(run.run(100).changes(), 1);
}

// Ten steps of which the first worker takes 9 at 1 ms and one at 11 ms per sample: 600 samples in 1.2 s.
TEST(DbsBatch, WeighsTheWholeEpoch) {
  int step = 0;
  BatchingJob run = dbs_job([&](std::uint32_t worker, int samples) {
    const bool slow = worker == 0 && ++step == 4;
    return (slow ? 11 : 1) * samples * 1e-3;
  });
  run.run(11);
  EXPECT_EQ(run.samples(), (std::vector<int>{40, 80}));
  run.run(10);
  EXPECT_EQ(run.samples(), (std::vector<int>{60, 60}));  // its mind changes with the next epoch
}

}  // namespace
}  // namespace policies
