// The fastest arms over bandwidth, in words and as found by simulated steps.
#include "sim/report/crossover_verdict.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "policies/diloco.hpp"
#include "sim/report/study_document.hpp"
#include "sim/scenario/tie.hpp"
#include "tests/engine/clusters.hpp"
#include "tests/report/simulated.hpp"

namespace sim::report {
namespace {

using netmodels::FastestFrom;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

netmodels::Bandwidth gigabits(double value) { return {value * 1e9 / 8}; }

/// `topk` up to 3 Gbit/s, then `dense`.
BandwidthWinners both_arms() {
  const std::vector<FastestFrom> winners{{1, gigabits(0.1), gigabits(0.1), gigabits(0.1)},
                                         {0, gigabits(3), gigabits(2.8), gigabits(3.3)}};
  return {{0, 1}, gigabits(1), gigabits(0.1), gigabits(1000), winners, winners, winners};
}

void add_arms(TestStudy& test) {
  test.add("dense", "none", {phase("all", {.exchange_ms = 20})});
  test.add("topk", "topk", {phase("all", {.exchange_ms = 10})});
}

TEST(CrossoverVerdict, NamesTheBandwidthAtWhichTheWinnerChanges) {
  TestStudy test;
  add_arms(test);
  test.played.by_bandwidth = {both_arms()};
  const std::string sentence =
      "by goodput of each worker (here 1 Gbit/s), 100 Mbit/s to 1 Tbit/s, unchanged over the run: the least "
      "time per sample "
      "has "
      "`topk` up to 3 Gbit/s, `dense` from there on (a tie from 2.8 Gbit/s to 3.3 Gbit/s). An arm is named "
      "until another is shorter by more than 7.5 %.";
  EXPECT_THAT(crossover_verdicts(test.played), ElementsAre(sentence));
  const ExpectationReport none;
  const std::string json = study_json({&test.played, &none});
  EXPECT_THAT(json, HasSubstr(sentence));
  EXPECT_THAT(json, HasSubstr("\"from_bits_per_s\": 3000000000.0"));
}

TEST(CrossoverVerdict, ForAScreenHasTheTieAndThatTimesOfCompressingAreAssumed) {
  TestStudy test;
  add_arms(test);
  BandwidthWinners found = both_arms();
  const std::string text =
      "By goodput of each worker (here 1 Gbit/s), whatever is learned: `topk` is the fastest up to 3 Gbit/s, "
      "`dense` from "
      "there "
      "on (a tie from 2.8 Gbit/s to 3.3 Gbit/s)";
  EXPECT_EQ(short_crossover(test.played, found), text + ".");
  found.most[1].from = gigabits(1);
  EXPECT_EQ(short_crossover(test.played, found), text + "; at the assumed time of compressing.");
  found.assumed.resize(1);
  EXPECT_EQ(short_crossover(test.played, found), "");
}

TEST(CrossoverVerdict, SaysFromWhereOnAnotherArmTiesWithTheLast) {
  TestStudy test;
  add_arms(test);
  BandwidthWinners found = both_arms();
  found.assumed = {{1, gigabits(0.1), gigabits(0.1), gigabits(0.1), {{0, false, false, gigabits(28)}}}};
  EXPECT_EQ(short_crossover(test.played, found),
            "By goodput of each worker (here 1 Gbit/s), whatever is learned: `topk` is the fastest; `dense` "
            "ties from 28 Gbit/s on; at the assumed time of compressing.");
  EXPECT_EQ(
      fastest_text({"dense", "int8", "topk"},
                   {{2, gigabits(1), gigabits(1), gigabits(1)},
                    {1, gigabits(2), gigabits(2), gigabits(2), {{0, false, false, gigabits(9)}}}}),
      "`topk` up to 2 Gbit/s, `int8` from there on (a tie from 2 Gbit/s to 2 Gbit/s); `dense` ties from "
      "9 Gbit/s on");
}

TEST(CrossoverVerdict, SaysHowItDependsOnTheTimeOfCompressing) {
  TestStudy test;
  add_arms(test);
  BandwidthWinners found = both_arms();
  found.least[1].from = gigabits(40);
  found.most = {{0, gigabits(0.1), gigabits(0.1), gigabits(0.1)}};
  test.played.by_bandwidth = {found};
  EXPECT_THAT(
      crossover_verdicts(test.played),
      ElementsAre(HasSubstr(
          "; if compressing takes the least that is possible, `topk` up to 40 Gbit/s, "
          "`dense` from there on (a tie from 2.8 Gbit/s to 3.3 Gbit/s); if compressing takes the most that "
          "is possible, "
          "`dense` at all of them.")));
}

TEST(CrossoverVerdict, NeverSaysAtAllOfThemForATie) {
  netmodels::FastestFrom entry{0, gigabits(0.1), gigabits(0.1), gigabits(0.1)};
  EXPECT_EQ(fastest_text({"dense", "topk"}, {entry}), "`dense` at all of them");
  entry.rivals = {{2, false, true, {}}};
  EXPECT_EQ(fastest_text({"dense", "topk", "int8"}, {entry}), "`dense`, with ties at some of them (`int8`)");
  entry.rivals = {{1, true, true, {}}, {2, false, false, {}}};
  EXPECT_EQ(fastest_text({"dense", "topk", "int8"}, {entry}),
            "no single arm: `dense`, `topk` tie throughout (`int8` at some of them)");
  entry.rivals.assign(6, {1, true, false, {}});
  EXPECT_THAT(fastest_text({"dense", "topk"}, {entry}), testing::EndsWith(" and 3 more tie throughout"));
}

TEST(CrossoverVerdict, OfOnlyLeastTimesSaysWhatItAssumes) {
  TestStudy test;
  add_arms(test);
  engine::ExplainedStep floor = explained("all", 1, 4);
  floor.dependence = engine::CompressionDependence{{ms(1), ms(1), {}, {}, scenario::CostLevel::floor},
                                                   {{ms(0), ms(105)}, {ms(100), ms(205)}}};
  for (SimulatedArm& arm : test.played.arms) arm.explained = {floor};
  test.played.by_bandwidth = {both_arms()};
  EXPECT_THAT(
      crossover_verdicts(test.played),
      ElementsAre(HasSubstr("unchanged over the run: if compressing takes the least that is possible, "
                            "as no other time of it is known, the least time per sample has `topk`")));
}

TEST(CrossoverVerdict, SaysWhyTimesThatLinksDoNotSetAreLeftOut) {
  TestStudy test;
  add_arms(test);
  for (scenario::Scenario& arm : test.study().arms) {
    arm.cluster.workers = 16;
    arm.cluster.workers_per_node = 8;
    arm.cluster.nccl = netmodels::nccl::Hardware{};
  }
  EXPECT_THAT(crossover_verdicts(test.played),
              ElementsAre("by goodput of each node: left out, as `cluster.nccl` describes no network; "
                          "state `cluster.nccl.network`."));
  for (scenario::Scenario& arm : test.study().arms) arm.cluster.measured.resize(1);
  EXPECT_THAT(crossover_verdicts(test.played),
              ElementsAre("by goodput of each node: left out, as times of collectives are measured on one "
                          "network; leave out `cluster.collective_times`."));
}

TEST(CrossoverVerdict, SaysWhoseStepsDifferFromEachOther) {
  TestStudy test;
  add_arms(test);
  EXPECT_THAT(crossover_verdicts(test.played), IsEmpty());
  for (scenario::Scenario& arm : test.study().arms) arm.cluster.link.bandwidth = gigabits(1);
  test.scenario().exchange.synchronisation =
      policies::synchronisation("diloco", policies::DiLoCo::Settings{.every = 8});
  EXPECT_THAT(
      crossover_verdicts(test.played),
      ElementsAre("by goodput of each worker: left out, as steps of `topk` differ from each other; sweep "
                  "`cluster.link.bandwidth`."));
}

TEST(CrossoverVerdict, NamesArmsOfWhichOnlyALeastTimeIsKnown) {
  TestStudy test;
  add_arms(test);
  engine::ExplainedStep floor = explained("all", 1, 4);
  floor.dependence = engine::CompressionDependence{{ms(1), ms(1), {}, {}, scenario::CostLevel::floor},
                                                   {{ms(0), ms(105)}, {ms(100), ms(205)}}};
  test.played.arms[1].explained = {floor};
  test.played.by_bandwidth = {both_arms()};
  EXPECT_THAT(crossover_verdicts(test.played),
              ElementsAre(testing::EndsWith(
                  "; left out but for the least time of compressing, as no other is known: `topk`.")));
}

TEST(CrossoverVerdict, SaysNothingWhereNothingWasAsked) {
  TestStudy test;
  add_arms(test);
  EXPECT_THAT(crossover_verdicts(test.played), IsEmpty());
}

/// Dense: 121 ms and a ring of four that takes 6 (1 ms + 4 MB / B). Top-k of a tenth, with indices of 4
/// bytes: 60 ms more for compressing, and 3 (1 ms + 3.2 MB / B). Equal where 14.4 MB / B = 57 ms.
TEST(WinnersByBandwidth, AreThoseOfSimulatedSteps) {
  TestStudy test;
  test.add("dense", "none", {phase("all", {.exchange_ms = 20})});
  test.scenario() = engine::testing::plain(4, {1e-3}, {100e6}, 3);
  test.add("topk", "topk", {phase("all", {.exchange_ms = 10})});
  test.scenario() = engine::testing::plain(4, {1e-3}, {100e6}, 3);
  test.scenario().exchange.compression = engine::testing::sent_as("topk", 0.1, netmodels::Seconds{60e-3});
  test.scenario().exchange.collective = "ring_allgather";
  engine::ClusterCache clusters;
  const auto found = winners_by_bandwidth(test.played, clusters, nullptr);
  ASSERT_TRUE(found.has_value());
  ASSERT_EQ(found->size(), 1U);
  const std::vector<FastestFrom>& winners = found->front().assumed;
  ASSERT_EQ(winners.size(), 2U);
  EXPECT_EQ(winners[0].candidate, 1U);
  EXPECT_EQ(winners[1].candidate, 0U);
  EXPECT_NEAR(winners[1].from / netmodels::Bandwidth{14.4e6 / 57e-3}, 1, 2e-3);
  EXPECT_LT(winners[1].tie_from, winners[1].from);
  EXPECT_GT(winners[1].tie_to, winners[1].from);
  EXPECT_EQ(found->front().least, winners);
}

TEST(WinnersByBandwidth, AreNotAskedForOneArmAndForAxes) {
  TestStudy test;
  test.add("dense", "none", {phase("all", {.exchange_ms = 20})});
  test.scenario() = engine::testing::plain(4, {1e-3}, {100e6}, 3);
  engine::ClusterCache clusters;
  EXPECT_THAT(*winners_by_bandwidth(test.played, clusters, nullptr), IsEmpty());
  test.add("same", "none", {phase("all", {.exchange_ms = 20})});
  test.scenario() = engine::testing::plain(4, {1e-3}, {100e6}, 3);
  EXPECT_EQ(winners_by_bandwidth(test.played, clusters, nullptr)->size(), 1U);
  test.study().axes = {"one"};
  EXPECT_THAT(*winners_by_bandwidth(test.played, clusters, nullptr), IsEmpty());
}

TEST(CrossoverVerdict, TheTieInTextsIsTheTieOfComparisons) {
  EXPECT_EQ(fmt::format("{:.1f} %", 100 * scenario::tie), scenario::tie_text);
}

}  // namespace
}  // namespace sim::report
