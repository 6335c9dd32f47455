// Static batching by hand: the published levels of heterogeneity, and workers that are lost.
#include "policies/proportional_batch.hpp"

#include <gtest/gtest.h>

#include "tests/policies/batching_job.hpp"

namespace policies {
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
}  // namespace policies
