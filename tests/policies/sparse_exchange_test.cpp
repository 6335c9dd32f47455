// The published costs of sparse exchanges: printed figures, and the inequalities against the costs on a grid.
#include "policies/sparse_exchange.hpp"

#include <array>
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

namespace policies {
namespace {

using namespace netmodels::literals;
using netmodels::LinkState;

constexpr auto kGather = SparseExchange::all_gather;
constexpr auto kRing = SparseExchange::ar_topk_ring;
constexpr auto kTree = SparseExchange::ar_topk_tree;

SparseGradient resnet50_gradient(double ratio) { return {8, netmodels::Bytes{4 * 25'557'032.0} * ratio}; }

double milliseconds(SparseExchange exchange, const SparseGradient& gradient, const LinkState& link) {
  return exchange_time(exchange, gradient, link).count * 1e3;
}

// Table VI prints 1148 / 405.5 / 745 ms.
TEST(SparseExchange, CostsWhatThePaperPrints) {
  const LinkState slow{1_ms, 1_Gbps};
  EXPECT_NEAR(milliseconds(kGather, resnet50_gradient(0.1), slow), 1147.96, 0.01);
  EXPECT_NEAR(milliseconds(kRing, resnet50_gradient(0.1), slow), 405.47, 0.01);
  EXPECT_NEAR(milliseconds(kTree, resnet50_gradient(0.1), slow), 745.04, 0.01);
}

TEST(SparseExchange, TakesTheWayThatThePaperFoundCheapest) {  // Table VI, ResNet50 and one cell of ResNet18
  EXPECT_EQ(cheapest_exchange(resnet50_gradient(0.1), {1_ms, 10_Gbps}), kRing);
  EXPECT_EQ(cheapest_exchange(resnet50_gradient(0.01), {1_ms, 10_Gbps}), kGather);
  EXPECT_EQ(cheapest_exchange(resnet50_gradient(0.01), {1_ms, 5_Gbps}), kTree);
  EXPECT_EQ(cheapest_exchange(resnet50_gradient(0.01), {1_ms, 1_Gbps}), kRing);
  EXPECT_EQ(cheapest_exchange(resnet50_gradient(0.001), {1_ms, 1_Gbps}), kGather);
}

TEST(SparseExchange, OfOneWorkerIsFree) {
  for (const SparseExchange exchange : {kGather, kRing, kTree})
    EXPECT_EQ(exchange_time(exchange, {1, 1_MB}, {1_ms, 1_Gbps}).count, 0);
}

TEST(SparseExchange, LimitsForEightWorkers) {
  EXPECT_NEAR(*ring_before_tree(8), 0.531, 5e-4);
  EXPECT_NEAR(*ring_before_all_gather(8), 0.661, 5e-4);
  EXPECT_NEAR(*tree_before_all_gather(8), 0.833, 5e-4);
}

TEST(SparseExchange, AFormThatDividesByZeroHasNoLimit) {
  EXPECT_EQ(ring_before_tree(2), std::nullopt);
  EXPECT_EQ(ring_before_tree(1), std::nullopt);
  EXPECT_EQ(ring_before_all_gather(1), std::nullopt);
  EXPECT_EQ(tree_before_all_gather(1), std::nullopt);
}

TEST(SparseExchange, OfTwoWorkersIsAlwaysAnAllGather) {  // a + 2 x against 3 a + 2 x and 3 a + 3 x
  for (const netmodels::Bandwidth bandwidth : {100_Gbps, 1_Gbps, netmodels::Bandwidth{1e3}})
    EXPECT_EQ(cheapest_exchange({2, 1_MB}, {1_ms, bandwidth}), kGather);
}

/// Whether `first` is cheaper than `second` exactly where latency times bandwidth lies below the limit;
/// points within rounding of the limit are not asked.
void expect_limit_agrees(std::optional<double> limit, SparseExchange first, SparseExchange second,
                         const SparseGradient& gradient, const LinkState& link) {
  if (!limit) return;
  const double product = (link.latency * link.bandwidth).count;
  const double bound = *limit * gradient.kept.count;
  if (std::abs(product - bound) <= 1e-9 * std::abs(bound)) return;
  EXPECT_EQ(exchange_time(first, gradient, link) < exchange_time(second, gradient, link), product < bound)
      << gradient.workers << " workers, latency x bandwidth / kept bytes " << product / gradient.kept.count;
}

TEST(SparseExchange, InequalitiesAgreeWithTheCosts) {
  for (const std::uint32_t workers : {2U, 3U, 4U, 7U, 8U, 16U, 33U, 128U}) {
    for (double kept = 1e3; kept < 1e8; kept *= 3) {
      for (double latency = 1e-6; latency < 0.2; latency *= 2) {
        const SparseGradient gradient{workers, {kept}};
        const LinkState link{{latency}, 10_Gbps};
        expect_limit_agrees(ring_before_tree(workers), kRing, kTree, gradient, link);
        expect_limit_agrees(ring_before_all_gather(workers), kRing, kGather, gradient, link);
        expect_limit_agrees(tree_before_all_gather(workers), kTree, kGather, gradient, link);
      }
    }
  }
}

}  // namespace
}  // namespace policies
