// Closed form, longest path and SimGrid give one answer on a free homogeneous network, for every collective.
#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include "netmodels/collective.hpp"
#include "netmodels/path.hpp"
#include "sim/engine/platform.hpp"
#include "sim/engine/simgrid_evaluator.hpp"
#include "tests/engine/clusters.hpp"

namespace sim::engine {
namespace {

using namespace netmodels::literals;
using namespace testing;
using netmodels::Collective;
using netmodels::Operation;

constexpr netmodels::Bytes operator""_KiB(unsigned long long v) { return {static_cast<double>(v) * 1024}; }

constexpr double kAgreement = 1e-9;  // relative, as promised by --audit

/// A divisor of N near its square root, so that two-level rows have two levels where they can.
std::uint32_t some_group(std::uint32_t ranks) {
  std::uint32_t group = 1;
  for (std::uint32_t divisor = 1; divisor * divisor <= ranks; ++divisor) {
    if (ranks % divisor == 0) group = divisor;
  }
  return group;
}

class Agreement : public ::testing::TestWithParam<std::uint32_t> {};

TEST_P(Agreement, EveryEvaluatorGivesTheSameTime) {
  const std::uint32_t ranks = GetParam();
  const netmodels::LinkState link{70_us, 10_Gbps};
  const auto platform = Platform::make(star(static_cast<int>(ranks), link.latency, link.bandwidth));
  ASSERT_TRUE(platform.has_value()) << platform.error().text();
  const netmodels::NetworkState state = nominal(**platform);
  SimGridEvaluator simgrid(**platform);
  for (const Collective& row : netmodels::collectives()) {
    if (row.schedule == nullptr) continue;
    const Operation operation{ranks, 100_MB, some_group(ranks), 5, {}};
    const double closed = row.closed(operation, link).count;
    const netmodels::Schedule schedule = row.schedule(operation);
    const double simulated = simgrid.evaluate(schedule, everyone(ranks), state)->duration.count;
    EXPECT_NEAR(simulated, closed, kAgreement * closed) << row.name << " at " << ranks;
    if (const auto path = netmodels::RoutedSchedule(schedule, routes_of(**platform)).evaluate(state)) {
      EXPECT_NEAR(path->duration.count, closed, kAgreement * closed) << row.name << " at " << ranks;
    }
  }
}

TEST_P(Agreement, LibrariesTakeTheSameTimeAtAllSizes) {
  const std::uint32_t ranks = GetParam();
  const netmodels::LinkState link{70_us, 0.1_Gbps};
  const auto platform = Platform::make(star(static_cast<int>(ranks), link.latency, link.bandwidth));
  ASSERT_TRUE(platform.has_value()) << platform.error().text();
  SimGridEvaluator simgrid(**platform);
  // SimGrid gets messages in 2^-20 bytes; a ring passes 2(N-1) of them on.
  const double rounded = 2 * ranks * 0x1p-20 / link.bandwidth.count;
  for (const Collective& row : netmodels::collectives()) {
    const bool rooted =
        row.kind == netmodels::CollectiveKind::broadcast || row.kind == netmodels::CollectiveKind::reduce ||
        row.kind == netmodels::CollectiveKind::gather || row.kind == netmodels::CollectiveKind::scatter;
    if (row.library.empty() && !rooted) continue;
    if (row.schedule == nullptr) continue;
    for (const netmodels::Bytes size : {100_B, 1_KiB, 10_KiB, 50_KiB, 300_KiB, 700_KiB, 3_MiB}) {
      const Operation operation{ranks, size};
      const double closed = row.closed(operation, link).count;
      const double simulated =
          simgrid.evaluate(row.schedule(operation), everyone(ranks), nominal(**platform))->duration.count;
      EXPECT_NEAR(simulated, closed, kAgreement * closed + 1e-12 + rounded)
          << row.name << " of " << netmodels::print(size) << " at " << ranks;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Ranks, Agreement,
                         ::testing::Values(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 32, 64,
                                           100));

TEST(Agreement, RingsOverNodesTakeTheSameTimeByPathAndSimGrid) {
  for (const auto& [nodes, per_node] : {std::pair{2, 2}, std::pair{4, 8}, std::pair{5, 3}}) {
    scenario::Cluster cluster = star(nodes * per_node, 20_us, {3e9});
    cluster.workers_per_node = per_node;
    cluster.inner_link = netmodels::LinkState{3_us, {100e9}};
    const auto ranks = static_cast<std::uint32_t>(cluster.workers);
    const auto platform = Platform::make(cluster);
    ASSERT_TRUE(platform.has_value()) << platform.error().text();
    SimGridEvaluator simgrid(**platform);
    const netmodels::NetworkState state = nominal(**platform);
    for (const char* name : {"ring_allreduce", "ring_allgather", "ring_reduce_scatter", "ring_allgatherv",
                             "gloo.allreduce", "gloo.allgather"}) {
      for (const netmodels::Bytes size : {1_KiB, 700_KiB, 100'000_KiB}) {
        const auto schedule = (*netmodels::find_collective(name))->schedule({ranks, size});
        const auto path = netmodels::RoutedSchedule(schedule, routes_of(**platform)).evaluate(state);
        ASSERT_TRUE(path.has_value()) << path.error().text();
        const double simulated = simgrid.evaluate(schedule, everyone(ranks), state)->duration.count;
        EXPECT_NEAR(simulated, path->duration.count, kAgreement * simulated)
            << name << " of " << netmodels::print(size) << " on " << nodes << " x " << per_node;
      }
    }
  }
}

TEST(Agreement, SegmentsAfterNoticesTakeTheSameTimeByPathAndSimGridOnUnequalLinksThatChange) {
  std::mt19937_64 random(1);
  const auto power_of_two = [&](double from, double to) {
    return std::exp2(std::uniform_real_distribution<>(from, to)(random));
  };
  const auto drawn = [&] { return netmodels::LinkState{{power_of_two(-18, -5)}, {power_of_two(20, 30)}}; };
  for (std::uint32_t ranks = 2; ranks <= 7; ++ranks) {
    const auto platform = Platform::make(star(static_cast<int>(ranks), 1_ms, 1_Gbps));
    ASSERT_TRUE(platform.has_value()) << platform.error().text();
    SimGridEvaluator simgrid(**platform);
    for (int draw = 0; draw < 10; ++draw) {
      netmodels::NetworkState state = nominal(**platform);
      for (netmodels::LinkState& link : state.links) link = drawn();
      const std::vector<netmodels::LinkChange> changes{
          {{power_of_two(-9, 0)}, static_cast<netmodels::LinkId>(random() % state.links.size()), drawn()}};
      if (draw % 2 == 1) state.upcoming = changes;
      for (const char* name : {"gloo.allreduce", "gloo.allgather"}) {
        const netmodels::Bytes size{power_of_two(4, 26)};
        const auto schedule = (*netmodels::find_collective(name))->schedule({ranks, size});
        const auto path = netmodels::RoutedSchedule(schedule, routes_of(**platform)).evaluate(state);
        ASSERT_TRUE(path.has_value()) << name << ": " << path.error().text();
        const double simulated = simgrid.evaluate(schedule, everyone(ranks), state)->duration.count;
        EXPECT_NEAR(simulated, path->duration.count, kAgreement * simulated)
            << name << " of " << netmodels::print(size) << " on " << ranks;
      }
    }
  }
}

TEST(Agreement, HundredMegabytesOnEightRanksIsTheFigureByHand) {  // 2*7/8*100e6/50e9 + 14*500e-9 = 3.507 ms
  const auto platform = Platform::make(star(8, 500_ns, {50e9}));
  ASSERT_TRUE(platform.has_value());
  SimGridEvaluator simgrid(**platform);
  const auto ring = (*netmodels::find_collective("ring_allreduce"))->schedule({8, 100_MB});
  EXPECT_NEAR(simgrid.evaluate(ring, everyone(8), nominal(**platform))->duration.count, 3.507e-3, 3.507e-12);
}

}  // namespace
}  // namespace sim::engine
