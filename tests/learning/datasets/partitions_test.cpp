// Shards: every sample dealt out once, and in the proportions asked for.
#include "learning/datasets/partitions.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace learning::datasets {

// Tests of random proportions: their sum, their moments, and both ends of the concentration.

namespace {

TEST(Dirichlet, SharesAddUpToOne) {
  for (const double concentration : {1e-6, 0.01, 0.5, 1.0, 10.0, 1e6}) {
    for (std::uint64_t step = 0; step < 20; ++step) {
      const auto shares = draw_dirichlet(7, concentration, {1, step});
      EXPECT_NEAR(std::accumulate(shares.begin(), shares.end(), 0.0), 1, 1e-12);
      EXPECT_GE(std::ranges::min(shares), 0);
    }
  }
}

TEST(Dirichlet, OneShareIsAll) { EXPECT_EQ(draw_dirichlet(1, 0.3, {1, 2}).front(), 1); }

TEST(Dirichlet, SmallConcentrationGivesNearlyAllToOne) {
  for (std::uint64_t step = 0; step < 50; ++step) {
    EXPECT_GT(std::ranges::max(draw_dirichlet(8, 1e-4, {3, step})), 0.99);
  }
}

TEST(Dirichlet, LargeConcentrationSharesEvenly) {
  for (const double share : draw_dirichlet(8, 1e6, {3, 1})) EXPECT_NEAR(share, 0.125, 1e-3);
}

TEST(Dirichlet, MeanAndVarianceAreThoseOfTheDistribution) {
  constexpr int draws = 20000;
  for (const double concentration : {0.3, 1.0, 4.0}) {
    double sum = 0;
    double squares = 0;
    for (std::uint64_t step = 0; step < draws; ++step) {
      const double share = draw_dirichlet(5, concentration, {9, step})[2];
      sum += share;
      squares += share * share;
    }
    const double mean = sum / draws;
    const double variance = 0.2 * 0.8 / (5 * concentration + 1);  // m (1 - m) / (sum of alphas + 1)
    EXPECT_NEAR(mean, 0.2, 4 * std::sqrt(variance / draws));
    EXPECT_NEAR(squares / draws - mean * mean, variance, 0.06 * variance);
  }
}

}  // namespace

// Tests of the rules by which samples are dealt to workers.

namespace {

using testing::ElementsAre;

/// One value per sample; sample i of label i mod `classes`.
Samples labelled(std::size_t count, std::size_t classes) {
  std::vector<std::uint16_t> labels(count);
  for (std::size_t i = 0; i < count; ++i) labels[i] = static_cast<std::uint16_t>(i % classes);
  return {1, std::vector<float>(count), labels};
}

/// A rule, and to whom samples are dealt by it.
struct PartitionCase {
  PartitionChoice rule;
  PartitionJob job;
};

PartitionCase plainly(std::string_view rule, std::uint32_t workers) {
  return {partition_rule(rule), {workers, 0}};
}

PartitionCase skewed(std::uint32_t workers, int labels) {
  return {partition_rule("label_skew", LabelSkew{labels}), {workers, 0}};
}

PartitionCase drawn_by(std::uint32_t workers, double concentration, std::uint64_t seed = 0) {
  return {partition_rule("dirichlet", DirichletShares{concentration}), {workers, seed}};
}

netmodels::Result<Shards> partition_by(const Samples& train, const PartitionCase& wanted) {
  return partition(train, wanted.rule, wanted.job);
}

std::string dealing_error(const Samples& train, const PartitionCase& wanted) {
  const auto shards = partition_by(train, wanted);
  return shards ? "accepted" : shards.error().text();
}

std::vector<std::size_t> sizes(const Shards& shards) {
  std::vector<std::size_t> found;
  for (std::uint32_t w = 0; w < shards.workers(); ++w) found.push_back(shards.chunk(w).size());
  return found;
}

std::vector<std::uint32_t> all_samples(const Shards& shards) {
  std::vector<std::uint32_t> all;
  for (std::uint32_t w = 0; w < shards.workers(); ++w) {
    all.insert(all.end(), shards.chunk(w).begin(), shards.chunk(w).end());
  }
  return all;
}

std::set<std::uint16_t> labels_of_worker(const Samples& train, const Shards& shards, std::uint32_t worker) {
  std::set<std::uint16_t> labels;
  for (const std::uint32_t sample : shards.chunk(worker)) labels.insert(train.label(sample));
  return labels;
}

TEST(Shards, EveryRuleDealsEverySampleOnceAndNoWorkerGoesEmpty) {
  const Samples train = labelled(103, 10);
  for (const PartitionCase& wanted : {plainly("contiguous", 8), plainly("circular", 8), skewed(8, 2),
                                      skewed(10, 1), drawn_by(8, 0.5), drawn_by(60, 0.01)}) {
    const auto shards = partition_by(train, wanted);
    ASSERT_TRUE(shards) << shards.error().text();
    auto all = all_samples(*shards);
    std::ranges::sort(all);
    ASSERT_EQ(all.size(), 103);
    for (std::uint32_t i = 0; i < 103; ++i) EXPECT_EQ(all[i], i);
    EXPECT_GE(std::ranges::min(sizes(*shards)), 1);
    EXPECT_EQ(shards->workers(), wanted.job.workers);
    EXPECT_EQ(shards->circular(), wanted.rule.name() == "circular");
  }
}

TEST(Shards, ContiguousChunksDifferByAtMostOne) {
  const auto shards = partition_by(labelled(10, 2), plainly("contiguous", 4));
  ASSERT_TRUE(shards);
  EXPECT_THAT(sizes(*shards), ElementsAre(2, 3, 2, 3));
}

TEST(Shards, CircularChunksAreTheContiguousOnes) {
  const Samples train = labelled(50, 5);
  EXPECT_EQ(all_samples(*partition_by(train, plainly("contiguous", 3))),
            all_samples(*partition_by(train, plainly("circular", 3))));
}

TEST(Shards, ContiguousOrderIsRandomAndAFunctionOfTheSeed) {
  const Samples train = labelled(50, 5);
  PartitionCase wanted = plainly("contiguous", 3);
  const auto first = all_samples(*partition_by(train, wanted));
  EXPECT_EQ(first, all_samples(*partition_by(train, wanted)));
  EXPECT_FALSE(std::ranges::is_sorted(first));
  wanted.job.seed = 1;
  EXPECT_NE(first, all_samples(*partition_by(train, wanted)));
}

TEST(Shards, AsManyWorkersAsSamplesGetOneEach) {
  EXPECT_THAT(sizes(*partition_by(labelled(5, 2), plainly("contiguous", 5))), ElementsAre(1, 1, 1, 1, 1));
}

TEST(Shards, ByPositionEachWorkerHoldsOneStretchInOrder) {
  const Samples train = labelled(10, 1);
  const Shards shards = *partition_by(train, plainly("position", 3));
  std::vector<std::uint32_t> all;
  for (std::uint32_t worker = 0; worker < 3; ++worker) {
    const auto chunk = shards.chunk(worker);
    EXPECT_GE(chunk.size(), 3U);
    all.insert(all.end(), chunk.begin(), chunk.end());
  }
  for (std::uint32_t i = 0; i < 10; ++i) EXPECT_EQ(all[i], i);
  EXPECT_TRUE(find_partition_rule("position")->traits.skewed);
}

TEST(LabelSkew, OneLabelPerWorkerIsHeldByThatWorkerAlone) {
  const Samples train = labelled(100, 10);
  const auto shards = partition_by(train, skewed(10, 1));
  ASSERT_TRUE(shards);
  for (std::uint32_t w = 0; w < 10; ++w) {
    EXPECT_THAT(labels_of_worker(train, *shards, w), ElementsAre(static_cast<std::uint16_t>(w)));
  }
}

TEST(LabelSkew, WorkersShareTheirCommonLabelsEvenly) {
  const Samples train = labelled(60, 3);  // 20 samples of each; 4 workers x 2 labels: 01 20 12 01
  const auto shards = partition_by(train, skewed(4, 2));
  ASSERT_TRUE(shards);
  EXPECT_THAT(labels_of_worker(train, *shards, 0), ElementsAre(0, 1));
  EXPECT_THAT(labels_of_worker(train, *shards, 1), ElementsAre(0, 2));
  EXPECT_THAT(labels_of_worker(train, *shards, 2), ElementsAre(1, 2));
  EXPECT_THAT(labels_of_worker(train, *shards, 3), ElementsAre(0, 1));
  EXPECT_THAT(sizes(*shards), ElementsAre(6 + 6, 7 + 10, 7 + 10, 7 + 7));
}

TEST(LabelSkew, NoWorkerHoldsMoreLabelsThanStated) {
  const Samples train = labelled(997, 10);
  for (std::uint32_t workers = 1; workers <= 30; ++workers) {
    for (int labels = 1; labels <= 10; ++labels) {
      if (static_cast<int>(workers) * labels < 10) continue;
      const auto shards = partition_by(train, skewed(workers, labels));
      ASSERT_TRUE(shards) << shards.error().text();
      for (std::uint32_t w = 0; w < workers; ++w) {
        ASSERT_EQ(std::ssize(labels_of_worker(train, *shards, w)), labels)
            << workers << " workers, " << labels << " labels";
      }
    }
  }
}

TEST(LabelSkew, LabelsThatCannotAllBeHeldAreRefused) {
  EXPECT_EQ(
      dealing_error(labelled(100, 10), skewed(4, 2)),
      "4 workers with 2 label(s) each cannot hold all 10 labels; give each at least 3 labels, or take at "
      "least 5 workers");
}

TEST(LabelSkew, MoreLabelsThanThereAreAreRefused) {
  EXPECT_EQ(dealing_error(labelled(100, 10), skewed(4, 11)),
            "11 labels per worker; accepted: 1 to 10, the labels of the training samples");
  EXPECT_EQ(dealing_error(labelled(100, 10), skewed(4, 0)),
            "0 labels per worker; accepted: 1 to 10, the labels of the training samples");
}

TEST(LabelSkew, WorkerThatWouldGetNothingIsRefused) {
  const Samples train(1, std::vector<float>(8), {0, 0, 0, 0, 0, 0, 0, 1});
  EXPECT_EQ(dealing_error(train, skewed(4, 1)),
            "worker 1 would get no sample; take fewer workers, or more labels for each");
}

TEST(DirichletDealing, SmallConcentrationSkewsAndLargeOneDoesNot) {
  const Samples train = labelled(10000, 10);
  const auto even = partition_by(train, drawn_by(8, 1e6));
  for (const std::size_t size : sizes(*even)) EXPECT_NEAR(static_cast<double>(size), 1250, 15);
  const auto skew = partition_by(train, drawn_by(8, 0.01));
  std::size_t labels = 0;
  for (std::uint32_t w = 0; w < 8; ++w) labels += labels_of_worker(train, *skew, w).size();
  EXPECT_LT(labels, 25);  // 80 when all workers hold all labels, 10 when each label has one holder
}

TEST(DirichletDealing, SeedDecides) {
  const Samples train = labelled(1000, 10);
  EXPECT_EQ(sizes(*partition_by(train, drawn_by(8, 0.5))), sizes(*partition_by(train, drawn_by(8, 0.5))));
  EXPECT_NE(sizes(*partition_by(train, drawn_by(8, 0.5))), sizes(*partition_by(train, drawn_by(8, 0.5, 1))));
}

TEST(DirichletDealing, WorkerLeftEmptyGetsOneSampleOfTheLargest) {
  const auto shards = partition_by(labelled(40, 1), drawn_by(40, 1e-6));
  ASSERT_TRUE(shards);
  EXPECT_THAT(sizes(*shards), testing::Each(1));
}

TEST(DirichletDealing, ConcentrationMustBeAboveZero) {
  const std::string hint = "; accepted: above 0, such as 0.5";
  EXPECT_EQ(dealing_error(labelled(10, 2), drawn_by(2, 0)), "a Dirichlet concentration (alpha) of 0" + hint);
  EXPECT_EQ(dealing_error(labelled(10, 2), drawn_by(2, std::numeric_limits<double>::quiet_NaN())),
            "a Dirichlet concentration (alpha) of nan" + hint);
  EXPECT_EQ(dealing_error(labelled(10, 2), drawn_by(2, std::numeric_limits<double>::infinity())),
            "a Dirichlet concentration (alpha) of inf" + hint);
}

TEST(PartitionCase, NumberOfWorkersIsChecked) {
  const Samples train = labelled(10, 2);
  EXPECT_EQ(dealing_error(train, plainly("contiguous", 0)), "0 workers; accepted: 1 to 65536");
  EXPECT_EQ(dealing_error(train, plainly("contiguous", 65537)), "65537 workers; accepted: 1 to 65536");
  EXPECT_EQ(dealing_error(train, plainly("contiguous", 11)),
            "11 workers share 10 training samples; take fewer workers, or a larger data set");
}

TEST(PartitionCase, RulesAreFoundByName) {
  for (const PartitionRow& row : partition_rules()) EXPECT_EQ(find_partition_rule(row.name), &row);
  EXPECT_EQ(find_partition_rule("labelskew"), nullptr);
}

TEST(PartitionCase, ItsTextNamesItsSettings) {
  EXPECT_EQ(describe(partition_rule("circular")), "circular");
  EXPECT_EQ(describe(partition_rule("label_skew", LabelSkew{2})), "label_skew 2 per worker");
  EXPECT_EQ(describe(partition_rule("dirichlet", DirichletShares{0.25})), "dirichlet 0.25");
}

}  // namespace
}  // namespace learning::datasets
