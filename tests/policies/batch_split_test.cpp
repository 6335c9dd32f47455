// A global batch in whole samples: sums, remainders, bounds.
#include "policies/batch_split.hpp"

#include <numeric>
#include <random>

#include <gtest/gtest.h>

namespace policies {
namespace {

std::vector<WorkerObservation> workers(std::size_t count) {
  std::vector<WorkerObservation> list(count);
  for (std::uint32_t i = 0; i < count; ++i) list[i].worker = i;
  return list;
}

std::vector<int> split(std::int64_t total, const std::vector<double>& weights,
                       const BatchBounds& bounds = {}) {
  return split_batch(total, weights, workers(weights.size()), bounds);
}

// 192 x 9/39 = 44.3, 192 x 12/39 = 59.08, 192 x 18/39 = 88.6: 44 + 59 + 88 = 191, the third lost most. These
// are the batches in the authors' script for cores 9, 12, 18.
TEST(SplitBatch, RoundsByLargestRemainderAsInTheAuthorsScript) {
  EXPECT_EQ(split(192, {9, 12, 18}), (std::vector<int>{44, 59, 89}));
}

TEST(SplitBatch, EqualRemaindersGoToTheFirst) { EXPECT_EQ(split(8, {1, 1, 1}), (std::vector<int>{3, 3, 2})); }

// 100 x (1, 1, 8)/10 = 10, 10, 80, but at most 50: the other 50 go half and half.
TEST(SplitBatch, WhatABoundCutsOffGoesToTheOthers) {
  EXPECT_EQ(split(100, {1, 1, 8}, {1, 50, {}}), (std::vector<int>{25, 25, 50}));
}

TEST(SplitBatch, WhatALowerBoundAddsComesFromTheOthers) {
  EXPECT_EQ(split(100, {1, 49, 50}, {10, {}, {}}), (std::vector<int>{10, 45, 45}));
}

TEST(SplitBatch, AWorkersOwnBoundHoldsForItAlone) {
  EXPECT_EQ(split(90, {1, 1, 1}, {1, {}, {std::nullopt, 10}}), (std::vector<int>{40, 10, 40}));
}

TEST(SplitBatch, WithoutRoomAllStandAtTheirBounds) {
  EXPECT_EQ(split(100, {1, 2}, {1, 20, {}}), (std::vector<int>{20, 20}));
  EXPECT_EQ(split(4, {1, 9}, {8, {}, {}}), (std::vector<int>{8, 8}));
}

TEST(SplitBatch, HoldsTheSumAndTheBoundsForAnyWeights) {
  std::mt19937 random(5);
  for (int round = 0; round < 2000; ++round) {
    std::vector<double> weights(1 + random() % 9);
    for (double& weight : weights) weight = 1e-3 + static_cast<double>(random() % 10000);
    const auto count = static_cast<std::int64_t>(weights.size());
    const BatchBounds bounds{2, 60, {}};
    const std::int64_t total = 2 * count + static_cast<std::int64_t>(random()) % (58 * count + 1);
    const auto samples = split(total, weights, bounds);
    EXPECT_EQ(std::accumulate(samples.begin(), samples.end(), std::int64_t{0}), total);
    for (const int one : samples) {
      EXPECT_GE(one, 2);
      EXPECT_LE(one, 60);
    }
  }
}

TEST(BoundedBatch, RoundsToTheNearestAndKeepsTheBounds) {
  const BatchBounds bounds{8, 1024, {}};
  EXPECT_EQ(bounded_batch(12.4, 0, bounds), 12);
  EXPECT_EQ(bounded_batch(12.5, 0, bounds), 13);
  EXPECT_EQ(bounded_batch(3, 0, bounds), 8);
  EXPECT_EQ(bounded_batch(5000, 0, bounds), 1024);
}

}  // namespace
}  // namespace policies
