// The table of collectives: figures by hand, and closed form against longest path for every row.
#include "netmodels/collective.hpp"

#include <cmath>
#include <set>

#include <gtest/gtest.h>

#include "netmodels/path.hpp"
#include "tests/netmodels/star.hpp"

namespace netmodels {
namespace {

using namespace literals;

Seconds closed(std::string_view name, const Operation& operation, const LinkState& link) {
  return (*find_collective(name))->closed(operation, link);
}

/// A divisor of N near its square root, so that two-level rows have two levels where they can.
std::uint32_t some_group(std::uint32_t ranks) {
  std::uint32_t group = 1;
  for (std::uint32_t divisor = 1; divisor * divisor <= ranks; ++divisor) {
    if (ranks % divisor == 0) group = divisor;
  }
  return group;
}

std::vector<std::uint32_t> rank_counts() {
  std::vector<std::uint32_t> counts{32, 64, 100};
  for (std::uint32_t ranks = 1; ranks <= 17; ++ranks) counts.push_back(ranks);
  return counts;
}

/// Rows whose messages share a link within a round: the path evaluator has to refuse them beyond two ranks.
const std::set<std::string_view> kContended{"parameter_server_allreduce",
                                            "binomial_broadcast_at_once",
                                            "binomial_broadcast_buffered",
                                            "linear_broadcast",
                                            "linear_reduce",
                                            "ring_gather_reduce",
                                            "linear_gather",
                                            "linear_scatter"};

/// Whether the messages of Open MPI's choice for 10 MB share links.
bool openmpi_shares_links(CollectiveKind kind, std::uint32_t ranks) {
  switch (kind) {
    case CollectiveKind::broadcast: return ranks == 3 || (ranks >= 8 && ranks < 16) || ranks >= 32;
    case CollectiveKind::reduce: return ranks >= 4 && ranks < 8;
    case CollectiveKind::gather: return ranks >= 3 && ranks < 8;
    case CollectiveKind::scatter: return ranks > 2;
    default: return false;
  }
}

/// Whether the messages of a row share links; those of a library where its choice for 10 MB does.
bool shares_links(const Collective& row, std::uint32_t ranks) {
  if (kContended.contains(row.name)) return ranks > 2;
  if (row.library == "openmpi") return openmpi_shares_links(row.kind, ranks);
  const bool rooted = row.kind == CollectiveKind::broadcast || row.kind == CollectiveKind::reduce ||
                      row.kind == CollectiveKind::gather || row.kind == CollectiveKind::scatter;
  if (row.library == "gloo") return rooted && ranks > 2;
  return row.library == "mpich" && row.kind == CollectiveKind::broadcast && ranks > 2 && ranks < 8;
}

TEST(Collectives, RingOfEightMatchesTheHandComputedFigure) {  // 2*7/8*100e6/50e9 + 14*500e-9
  EXPECT_NEAR(closed("ring_allreduce", {8, 100_MB}, {500_ns, {50e9}}).count, 3.507e-3, 3.507e-12);
}

TEST(Collectives, TableOneOfTyagiAndSwanyForEightRanks) {  // alpha 1 ms, 10 Gbit/s, 10 MB: M/B is 8 ms
  const LinkState link{1_ms, 10_Gbps};
  EXPECT_NEAR(closed("table_one_parameter_server", {8, 10_MB}, link).count, 2e-3 + 14 * 8e-3, 1e-12);
  EXPECT_NEAR(closed("table_one_ring", {8, 10_MB}, link).count, 14e-3 + 14e-3, 1e-12);
  EXPECT_NEAR(closed("table_one_tree", {8, 10_MB}, link).count, 6e-3 + 48e-3, 1e-12);
  EXPECT_NEAR(closed("table_one_broadcast", {8, 10_MB}, link).count, 3e-3 + 24e-3, 1e-12);
  EXPECT_NEAR(closed("table_one_allgather", {8, 10_MB}, link).count, 3e-3 + 56e-3, 1e-12);
}

TEST(Collectives, PrintedFormsEqualTheScheduledOnesOnPowersOfTwo) {
  const LinkState link{1_ms, 10_Gbps};
  for (const std::uint32_t ranks : {2U, 4U, 8U, 64U}) {
    const Operation whole{ranks, 10_MB};
    const Operation gathered{ranks, 10_MB * ranks};
    EXPECT_NEAR(closed("table_one_ring", whole, link) / closed("ring_allreduce", whole, link), 1, 1e-12);
    EXPECT_NEAR(closed("table_one_tree", whole, link) / closed("tree_allreduce", whole, link), 1, 1e-12);
    EXPECT_NEAR(closed("table_one_broadcast", whole, link) / closed("binomial_broadcast", whole, link), 1,
                1e-12);
    EXPECT_NEAR(
        closed("table_one_allgather", whole, link) / closed("recursive_doubling_allgather", gathered, link),
        1, 1e-12);
    EXPECT_NEAR(
        closed("table_one_parameter_server", whole, link) / closed("parameter_server_allreduce", whole, link),
        1, 1e-12);
  }
}

TEST(Collectives, OneRankIsFreeInEveryRow) {
  for (const Collective& row : collectives()) {
    if (row.name == "table_one_parameter_server") continue;  // printed as 2 L even for one worker
    EXPECT_EQ(row.closed({1, 10_MB}, {1_ms, 10_Gbps}), Seconds{}) << row.name;
  }
}

TEST(Collectives, MoreBytesNeverCostLess) {
  for (const Collective& row : collectives()) {
    const LinkState link{1_ms, 10_Gbps};
    EXPECT_LE(row.closed({12, 10_MB, 3}, link), row.closed({12, 11_MB, 3}, link)) << row.name;
  }
}

TEST(Collectives, TwoTreesBeatOneAndComeNearTheBandwidthBound) {
  const LinkState link{1_us, 10_Gbps};
  Operation large{64, 100_MB};
  large.chunks = 512;
  const Seconds bound = 2.0 * (large.size / link.bandwidth);
  const Seconds two = closed("double_binary_tree_allreduce", large, link);
  EXPECT_LT(two, closed("pipelined_binary_tree_allreduce", large, link));
  EXPECT_NEAR(two / bound, 1, 0.03);
}

class EveryRow : public ::testing::TestWithParam<std::uint32_t> {};

TEST_P(EveryRow, LongestPathEqualsTheClosedForm) {
  const std::uint32_t ranks = GetParam();
  const testing::Star star{ranks, {70_us, 10_Gbps}};
  for (const Collective& row : collectives()) {
    if (row.schedule == nullptr) continue;
    for (const std::uint32_t chunks : {1U, 2U, 7U, 16U}) {
      const Operation operation{ranks, 10_MB, some_group(ranks), chunks, {}};
      const RoutedSchedule path(row.schedule(operation), star.routes());
      const Result<Evaluation> evaluated = path.evaluate(star.state());
      if (shares_links(row, ranks)) {
        ASSERT_FALSE(evaluated.has_value()) << row.name;
        continue;
      }
      ASSERT_TRUE(evaluated.has_value()) << row.name << " at " << ranks << ": " << evaluated.error().text();
      const Seconds expected = row.closed(operation, star.link);
      EXPECT_NEAR(evaluated->duration.count, expected.count, 1e-9 * expected.count)
          << row.name << " at " << ranks << " ranks in " << chunks << " chunks";
      EXPECT_TRUE(evaluated->reusable);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Ranks, EveryRow, ::testing::ValuesIn(rank_counts()));

TEST(Collectives, EveryScheduleNamesOnlyItsRanksAndFillsNoLinkTwicePerRoundAndDirection) {
  for (const Collective& row : collectives()) {
    if (row.schedule == nullptr) continue;
    for (const std::uint32_t ranks : rank_counts()) {
      if (shares_links(row, ranks)) continue;
      const Schedule schedule = row.schedule({ranks, 10_MB, some_group(ranks)});
      for (const Phase& phase : schedule.phases) {
        for (const Round& round : phase.rounds) {
          std::vector<double> sent(ranks);
          std::vector<double> received(ranks);
          for (const Transfer& transfer : round) {
            ASSERT_LT(transfer.from, ranks * schedule.streams);
            ASSERT_EQ(transfer.from / ranks, transfer.to / ranks) << "of one stream";
            ASSERT_NE(transfer.from, transfer.to);
            const double share = transfer.half_rate ? .5 : 1;
            ASSERT_LE(sent[schedule.rank_of(transfer.from)] += share, 1) << row.name << " at " << ranks;
            ASSERT_LE(received[schedule.rank_of(transfer.to)] += share, 1) << row.name << " at " << ranks;
          }
        }
      }
    }
  }
}

TEST(Collectives, TheLargestContributionSetsThePaceOfAllGatherv) {
  Operation uneven{4, 10_MB};
  uneven.parts = {1_MB, 2_MB, 6_MB, 1_MB};
  const testing::Star star{4, {1_ms, 10_Gbps}};
  const Seconds expected = closed("ring_allgatherv", uneven, star.link);
  EXPECT_NEAR(expected.count, 3 * (1e-3 + 6e6 / 1.25e9), 1e-12);
  const RoutedSchedule path((*find_collective("ring_allgatherv"))->schedule(uneven), star.routes());
  EXPECT_NEAR(path.evaluate(star.state())->duration.count, expected.count, 1e-12);
}

TEST(Collectives, NamesAreUnique) {
  std::set<std::string_view> names;
  for (const Collective& row : collectives()) EXPECT_TRUE(names.insert(row.name).second) << row.name;
}

TEST(Collectives, AnUnknownNameIsRefusedWithTheNearest) {
  EXPECT_EQ(find_collective("ring_allreduse").error().text(),
            "unknown collective `ring_allreduse`; did you mean `ring_allreduce`? `sim list collectives` "
            "shows all");
}

TEST(Collectives, WhatNoRowCanDoIsRefused) {
  EXPECT_EQ(check({0, 1_MB}).error().text(), "0 ranks; 1 to 4096 are accepted");
  EXPECT_EQ(check({4097, 1_MB}).error().text(), "4097 ranks; 1 to 4096 are accepted");
  EXPECT_EQ(check({4, {0}}).error().text(), "a message of 0 B; accepted: a size above 0");
  EXPECT_EQ(check({8, 1_MB, 3}).error().text(),
            "nodes of 3 ranks do not divide 8 ranks; a divisor of the number of ranks is accepted");
  EXPECT_TRUE(check({8, 1_MB, 4}).has_value());
}

}  // namespace
}  // namespace netmodels
