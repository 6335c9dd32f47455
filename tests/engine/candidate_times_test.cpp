// Times of candidates by hand, their bounds, refusals, and what is counted.
#include "sim/engine/candidate_times.hpp"

#include <array>
#include <cmath>

#include <gtest/gtest.h>

#include "tests/engine/clusters.hpp"

namespace sim::engine {
namespace {

using namespace netmodels::literals;
using namespace testing;
using netmodels::Operation;
using netmodels::Seconds;
using scenario::Evaluator;

constexpr Seconds kNoLimit{1e9};

/// Two racks of two workers at 1 ms and 100 MB/s, whose uplinks have half of what enters them: messages of
/// both workers of a rack share 100 MB/s.
class Foreseen : public ::testing::Test {
 protected:
  void begin(Evaluator evaluator) {
    cluster_.topology = scenario::topology("racks", scenario::Racks{2, 2});
    built_.emplace(std::move(*Platform::make(cluster_)));
    state_ = nominal(built_->platform());
    evaluator_.emplace(*built_, CostEvaluator::Settings{evaluator, 0, 1});
    evaluator_->set_workers(everyone(4));
  }
  double time(std::string_view name, Seconds limit = kNoLimit) {
    return foreseen().time(row(name), limit).count;
  }
  double at_least(std::string_view name) { return foreseen().at_least(row(name)).count; }

  scenario::Cluster cluster_ = star(4, 1_ms, {100e6});
  std::vector<Operation> operations_{{4, 16_MB}};
  std::optional<SharedCluster> built_;
  netmodels::NetworkState state_;
  std::optional<CostEvaluator> evaluator_;

 private:
  static const netmodels::Collective& row(std::string_view name) {
    return **netmodels::find_collective(name);
  }
  ForeseenTimes foreseen() { return {*evaluator_, operations_, state_}; }
};

TEST_F(Foreseen, MessagesThatShareALinkTakeLongerThanTheirBound) {  // 8 MB side by side, then 4 MB, and back
  begin(Evaluator::automatic);
  const double alone = at_least("halving_doubling_allreduce");
  EXPECT_GT(time("halving_doubling_allreduce"), alone + 0.03);
}

TEST_F(Foreseen, ABoundIsTheTimeWhereNothingIsShared) {
  begin(Evaluator::automatic);
  EXPECT_EQ(at_least("ring_allreduce"), time("ring_allreduce"));
}

TEST_F(Foreseen, BoundsAreNeverAboveTimes) {
  begin(Evaluator::simgrid);
  for (const netmodels::Collective& row : netmodels::collectives()) {
    if (row.schedule == nullptr) continue;
    EXPECT_LE(at_least(row.name), time(row.name) * (1 + 1e-9)) << row.name;
  }
}

TEST_F(Foreseen, AddsUpTheExchangesOfAStep) {
  operations_ = {{4, 16_MB}, {4, 2_MB}, {4, 16_MB}};
  begin(Evaluator::automatic);
  const double all = time("halving_doubling_allreduce");
  operations_ = {{4, 16_MB}};
  const double large = time("halving_doubling_allreduce");
  operations_ = {{4, 2_MB}};
  EXPECT_NEAR(all, 2 * large + time("halving_doubling_allreduce"), 1e-12);
}

TEST_F(Foreseen, StopsWhereTheLimitIsExceeded) {
  begin(Evaluator::automatic);
  const double bound = at_least("halving_doubling_allreduce");
  EXPECT_EQ(time("halving_doubling_allreduce", {bound / 2}), bound);
}

TEST_F(Foreseen, WhatTheNamedEvaluatorRefusesTakesForEver) {
  begin(Evaluator::path);
  EXPECT_TRUE(std::isinf(time("halving_doubling_allreduce")));
  EXPECT_FALSE(std::isinf(time("ring_allreduce")));
}

TEST_F(Foreseen, APrintedFormWithoutMessagesIsRefusedWhereItDoesNotHold) {
  begin(Evaluator::automatic);
  EXPECT_TRUE(std::isinf(time("table_one_ring")));
}

TEST_F(Foreseen, NothingIsCounted) {
  begin(Evaluator::automatic);
  (void)time("halving_doubling_allreduce");
  EXPECT_EQ(evaluator_->counts().path + evaluator_->counts().simgrid + evaluator_->counts().reused, 0);
}

TEST_F(Foreseen, ATimeIsRememberedForAStateOfTheNetwork) {
  begin(Evaluator::automatic);
  const double before = time("ring_allreduce");
  for (auto& link : state_.links) link.bandwidth = link.bandwidth / 2;
  EXPECT_EQ(time("ring_allreduce"), before);  // the number says that nothing changed
  ++state_.number;
  EXPECT_GT(time("ring_allreduce"), 1.5 * before);
}

}  // namespace
}  // namespace sim::engine
