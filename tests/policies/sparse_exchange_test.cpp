// The published costs of sparse exchanges: printed figures and limits.
#include "policies/sparse_exchange.hpp"

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

TEST(SparseExchange, OfTwoWorkersIsAlwaysAnAllGather) {  // a + 2 x against 3 a + 2 x and 3 a + 3 x
  for (const netmodels::Bandwidth bandwidth : {100_Gbps, 1_Gbps, netmodels::Bandwidth{1e3}})
    EXPECT_EQ(cheapest_exchange({2, 1_MB}, {1_ms, bandwidth}), kGather);
}

}  // namespace
}  // namespace policies
