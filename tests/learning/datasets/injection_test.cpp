// Tests of data injection: batch correction, donors, shared samples.
#include "learning/datasets/injection.hpp"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace learning::datasets {
namespace {

using testing::ElementsAre;
using Batches = std::vector<std::vector<std::uint32_t>>;

Injection injection(double alpha, double beta, bool corrected = true, std::uint64_t seed = 0) {
  return {{alpha, beta, corrected}, seed};
}

/// `size` samples of each of `workers`; sample 100 w + i is the i-th of worker w.
Batches batches(std::uint32_t workers, std::uint32_t size) {
  Batches made(workers);
  for (std::uint32_t w = 0; w < workers; ++w) {
    for (std::uint32_t i = 0; i < size; ++i) made[w].push_back(100 * w + i);
  }
  return made;
}

// SelSync, section III-E: b' = 11 for (0.5, 0.5) and 6 for (0.75, 0.75) at b = 32, which needs N = 8.
TEST(Injection, PrintedBatchesNeedEightWorkers) {
  EXPECT_EQ(injection(0.5, 0.5).own_samples(32, 8), 11);    // 32 / 3
  EXPECT_EQ(injection(0.75, 0.75).own_samples(32, 8), 6);   // 32 / 5.5
  EXPECT_EQ(injection(0.5, 0.5).own_samples(32, 10), 9);    // 32 / 3.5
  EXPECT_EQ(injection(0.75, 0.75).own_samples(32, 16), 3);  // 32 / 10
}

TEST(Injection, UncorrectedBatchIsAsAskedForAndCorrectedNeverEmpty) {
  EXPECT_EQ(injection(0.5, 0.5, false).own_samples(32, 8), 32);
  EXPECT_EQ(injection(1, 1).own_samples(4, 64), 1);
  EXPECT_EQ(injection(0, 0.5).own_samples(32, 8), 32);
}

TEST(Injection, DonorsAreRoundedUpButNotByRounding) {
  EXPECT_EQ(injection(0.1, 1).donor_count(10), 1);
  EXPECT_EQ(injection(0.1, 1).donor_count(11), 2);
  EXPECT_EQ(injection(0.07, 1).donor_count(100), 7);
  EXPECT_EQ(injection(0, 1).donor_count(10), 0);
  EXPECT_EQ(injection(1, 1).donor_count(10), 10);
}

TEST(Injection, DonorsAreAFunctionOfSeedAndStep) {
  const Injection some = injection(0.5, 0.5);
  EXPECT_EQ(some.donors(3, 8), some.donors(3, 8));
  std::vector<int> counts(8);
  for (std::uint64_t step = 0; step < 4000; ++step) {
    const auto donors = some.donors(step, 8);
    ASSERT_EQ(donors.size(), 4);
    ASSERT_TRUE(std::ranges::is_sorted(donors));
    ASSERT_EQ(std::ranges::adjacent_find(donors), donors.end());
    for (const std::size_t donor : donors) ++counts[donor];
  }
  for (const int count : counts) EXPECT_NEAR(count, 2000, 130);  // 4 standard deviations
  EXPECT_NE(some.donors(3, 8), injection(0.5, 0.5, true, 1).donors(3, 8));
}

TEST(Injection, EveryOtherWorkerGetsTheFirstSamplesOfTheDonor) {
  const Injection some = injection(0.25, 0.5);
  Batches mixed = batches(4, 4);
  const std::size_t donor = some.donors(9, 4).at(0);
  EXPECT_EQ(some.share(9, mixed), 3 * 2);
  const auto first = static_cast<std::uint32_t>(100 * donor);
  for (std::uint32_t w = 0; w < 4; ++w) {
    if (w == donor) {
      EXPECT_THAT(mixed[w], ElementsAre(first, first + 1, first + 2, first + 3));
    } else {
      EXPECT_THAT(mixed[w], ElementsAre(100 * w, 100 * w + 1, 100 * w + 2, 100 * w + 3, first, first + 1));
    }
  }
}

TEST(Injection, WhatWasReceivedIsNotPassedOn) {
  Batches mixed = batches(3, 2);
  EXPECT_EQ(injection(1, 1).share(0, mixed), 3 * 2 * 2);
  EXPECT_THAT(mixed[0], ElementsAre(0, 1, 100, 101, 200, 201));
  EXPECT_THAT(mixed[1], ElementsAre(100, 101, 0, 1, 200, 201));
  EXPECT_THAT(mixed[2], ElementsAre(200, 201, 0, 1, 100, 101));
}

TEST(Injection, DonorsShareOfTheirOwnBatchWhereBatchesDiffer) {
  Batches mixed{{0, 1, 2, 3}, {10}};
  EXPECT_EQ(injection(1, 0.5).share(0, mixed), 2 + 1);  // round(0.5) is 1
  EXPECT_THAT(mixed[0], ElementsAre(0, 1, 2, 3, 10));
  EXPECT_THAT(mixed[1], ElementsAre(10, 0, 1));
}

TEST(Injection, CorrectedBatchesKeepTheirSizeOnAverage) {
  const Injection some = injection(0.5, 0.5);
  Batches mixed = batches(16, static_cast<std::uint32_t>(some.own_samples(60, 16)));  // 12
  some.share(1, mixed);
  // 8 donors share 6 each; who is a donor misses its own.
  for (const auto& batch : mixed) EXPECT_TRUE(batch.size() == 12 + 48 || batch.size() == 12 + 42);
}

// SelSync, section III-E: alpha beta N b' samples come to a worker; 132 KB of 3 KB images with b' = 11, N
// = 16.
TEST(Injection, PrintedTrafficOfAWorker) {
  Batches mixed = batches(16, 11);
  const std::size_t travelled = injection(0.5, 0.5).share(0, mixed);
  EXPECT_EQ(travelled, 8 * 15 * 6);  // round(5.5) = 6 of each donor, where the paper has 5.5
  EXPECT_NEAR(static_cast<double>(travelled) / 15 * 3, 132, 12.1);
}

TEST(Injection, NothingIsSharedWithoutDonorsOrShares) {
  for (const Injection& none : {injection(0, 1), injection(1, 0)}) {
    Batches mixed = batches(3, 2);
    EXPECT_EQ(none.share(0, mixed), 0);
    EXPECT_EQ(mixed, batches(3, 2));
  }
  Batches alone = batches(1, 4);
  EXPECT_EQ(injection(1, 1).share(0, alone), 0);
}

}  // namespace
}  // namespace learning::datasets
