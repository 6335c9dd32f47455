// Tests of the order in which workers go through their samples.
#include "learning/datasets/sampler.hpp"

#include <set>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace learning::datasets {
namespace {

using Numbers = std::vector<std::uint32_t>;

std::shared_ptr<const Shards> three_chunks(bool circular) {
  return std::make_shared<const Shards>(
      std::vector<Numbers>{{0, 1, 2, 3, 4, 5, 6, 7}, {10, 11, 12}, {20, 21, 22, 23}}, circular);
}

Numbers draw(Sampler& sampler, int count) {
  Numbers drawn;
  for (int i = 0; i < count; ++i) drawn.push_back(sampler.next());
  return drawn;
}

TEST(Sampler, EachPassTakesEachSampleOfTheChunkOnce) {
  Sampler sampler(three_chunks(false), 2, 1);
  for (int pass = 0; pass < 10; ++pass) {
    EXPECT_THAT(draw(sampler, 4), testing::UnorderedElementsAre(20, 21, 22, 23));
    EXPECT_EQ(sampler.pass(), pass);
  }
}

TEST(Sampler, PassesHaveOrdersOfTheirOwn) {
  Sampler sampler(three_chunks(false), 0, 1);
  std::set<Numbers> orders;
  for (int pass = 0; pass < 10; ++pass) orders.insert(draw(sampler, 8));
  EXPECT_EQ(orders.size(), 10);
}

TEST(Sampler, OrderIsAFunctionOfSeedAndWorker) {
  const auto shards = std::make_shared<const Shards>(
      std::vector<Numbers>{{0, 1, 2, 3, 4, 5, 6, 7}, {0, 1, 2, 3, 4, 5, 6, 7}}, false);
  Sampler first(shards, 0, 1);
  Sampler again(shards, 0, 1);
  Sampler other_worker(shards, 1, 1);
  Sampler other_seed(shards, 0, 2);
  const Numbers order = draw(first, 16);
  EXPECT_EQ(order, draw(again, 16));
  EXPECT_NE(order, draw(other_worker, 16));
  EXPECT_NE(order, draw(other_seed, 16));
}

TEST(Sampler, CircularPassesGoFromChunkToChunkBeginningWithTheirOwn) {
  Sampler sampler(three_chunks(true), 1, 5);
  for (int round = 0; round < 2; ++round) {
    EXPECT_THAT(draw(sampler, 3), testing::UnorderedElementsAre(10, 11, 12));
    EXPECT_THAT(draw(sampler, 4), testing::UnorderedElementsAre(20, 21, 22, 23));
    EXPECT_THAT(draw(sampler, 8), testing::UnorderedElementsAre(0, 1, 2, 3, 4, 5, 6, 7));
  }
}

TEST(Sampler, CircularWorkersAreAtDifferentChunks) {
  const auto shards = std::make_shared<const Shards>(
      std::vector<Numbers>{{0, 1, 2, 3}, {10, 11, 12, 13}, {20, 21, 22, 23}}, true);
  std::vector<Sampler> samplers;
  for (std::uint32_t worker = 0; worker < 3; ++worker) samplers.emplace_back(shards, worker, 1);
  for (int step = 0; step < 24; ++step) {
    std::set<std::uint32_t> chunks;
    for (Sampler& sampler : samplers) chunks.insert(sampler.next() / 10);
    EXPECT_EQ(chunks.size(), 3);
  }
}

TEST(Sampler, ACopyGoesOnByItselfFromTheSamePlace) {
  Sampler sampler(three_chunks(false), 0, 1);
  draw(sampler, 5);
  Sampler copy = sampler;
  const Numbers future = draw(sampler, 20);
  EXPECT_EQ(future, draw(copy, 20));
}

TEST(Sampler, OutlivesTheOwnerOfItsShards) {
  auto shards = three_chunks(false);
  Sampler sampler(shards, 1, 1);
  shards.reset();
  EXPECT_THAT(draw(sampler, 3), testing::UnorderedElementsAre(10, 11, 12));
}

}  // namespace
}  // namespace learning::datasets
