// The fastest arms of a sweep along its bandwidths.
#include "sim/sweep/sweep_crossover.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/sweep/swept.hpp"

namespace sim::sweep {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// A sweep over three bandwidths and some numbers of workers.
SweepIdentity three_bandwidths(std::vector<std::string> workers) {
  SweepIdentity identity = swept_axes();
  identity.points = 3 * workers.size();
  identity.axes = {{"cluster.link.bandwidth", {"1 Gbit/s", "10 Gbit/s", "100 Gbit/s"}},
                   {"cluster.workers", std::move(workers)}};
  return identity;
}

SweepTable crossing_table(const SweepStore& store) {
  auto table = sweep_table(store, "s.db");
  EXPECT_TRUE(table.has_value());
  return std::move(*table);
}

/// Dense takes 1, 0.1 and 0.01 s, and topk always 0.2 s: in logarithms they cross where dense takes 0.2 s, at
/// 5 Gbit/s; 7.5 % more at 4.7 and less at 5.4 Gbit/s.
TEST(SweepCrossovers, AreInterpolatedInLogarithms) {
  SweepStore store = *SweepStore::open(":memory:", three_bandwidths({"4"}), false);
  store.write(swept(0, {"1 Gbit/s", "4"}, {{"dense", 1}, {"topk", 0.2}}));
  store.write(swept(1, {"10 Gbit/s", "4"}, {{"dense", 0.1}, {"topk", 0.2}}));
  store.write(swept(2, {"100 Gbit/s", "4"}, {{"dense", 0.01}, {"topk", 0.2}}));
  EXPECT_THAT(
      crossovers(crossing_table(store)),
      ElementsAre("Along `cluster.link.bandwidth`, interpolated: the least time per sample has `topk` up to "
                  "5 Gbit/s, `dense` from there on (a tie from 4.7 Gbit/s to 5.4 Gbit/s)."));
}

TEST(SweepCrossovers, AreSaidForEachCombinationOfTheOtherAxes) {
  SweepStore store = *SweepStore::open(":memory:", three_bandwidths({"4", "8"}), false);
  std::size_t number = 0;
  for (const char* bandwidth : {"1 Gbit/s", "10 Gbit/s", "100 Gbit/s"}) {
    store.write(swept(number++, {bandwidth, "4"}, {{"dense", 0.1}, {"topk", 0.2}}));
    store.write(swept(number++, {bandwidth, "8"}, {{"dense", 0.3}, {"topk", 0.2}}));
  }
  EXPECT_THAT(
      crossovers(crossing_table(store)),
      ElementsAre("Along `cluster.link.bandwidth`, interpolated, at cluster.workers = 4: the least time per "
                  "sample has `dense` at all of them.",
                  "Along `cluster.link.bandwidth`, interpolated, at cluster.workers = 8: the least time per "
                  "sample has `topk` at all of them."));
}

TEST(SweepCrossovers, NeedThreeBandwidthsAndTwoArmsThatWereSimulatedAtAll) {
  SweepStore two = *SweepStore::open(":memory:", swept_axes(), false);
  two.write(swept(0, {"1 Gbit/s", "ring"}, {{"dense", 1}, {"topk", 0.2}}));
  two.write(swept(1, {"10 Gbit/s", "ring"}, {{"dense", 0.1}, {"topk", 0.2}}));
  EXPECT_THAT(crossovers(crossing_table(two)), IsEmpty());
  SweepStore missing = *SweepStore::open(":memory:", three_bandwidths({"4"}), false);
  missing.write(swept(0, {"1 Gbit/s", "4"}, {{"dense", 1}, {"topk", 0.2}}));
  missing.write(swept(1, {"10 Gbit/s", "4"}, {{"dense", 0.1}, {"topk", 0.2}}));
  missing.write(swept(2, {"100 Gbit/s", "4"}, {{"dense", 0.01}}));
  EXPECT_THAT(crossovers(crossing_table(missing)), IsEmpty());
}

TEST(SweepCrossovers, CompareArmsAtTheSameBandwidthsOnly) {  // beyond its own an arm has no time
  SweepIdentity identity = three_bandwidths({"4"});
  identity.axes.front().values = {"1 Gbit/s", "10 Gbit/s", "100 Gbit/s", "1 Tbit/s"};
  identity.points = 4;
  SweepStore store = *SweepStore::open(":memory:", identity, false);
  store.write(swept(0, {"1 Gbit/s", "4"}, {{"dense", 1}}));
  store.write(swept(1, {"10 Gbit/s", "4"}, {{"dense", 0.1}, {"topk", 0.2}}));
  store.write(swept(2, {"100 Gbit/s", "4"}, {{"dense", 0.01}, {"topk", 0.2}}));
  store.write(swept(3, {"1 Tbit/s", "4"}, {{"topk", 0.2}}));
  EXPECT_THAT(crossovers(crossing_table(store)), IsEmpty());
}

}  // namespace
}  // namespace sim::sweep
