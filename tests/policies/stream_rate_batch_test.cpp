// One second of every stream, within bounds, following the stream.
#include "policies/stream_rate_batch.hpp"

#include <gtest/gtest.h>

#include "tests/policies/batching_job.hpp"

namespace policies {
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
}  // namespace policies
