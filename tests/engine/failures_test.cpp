// Who is lost when something breaks, in which order, and which links do not exist.
#include "sim/engine/failures.hpp"

#include <gtest/gtest.h>

#include "tests/engine/clusters.hpp"

namespace sim::engine {
namespace {

using namespace netmodels::literals;
using namespace testing;
using scenario::Failure;

scenario::Cluster racks_of_nodes() {  // two racks of two nodes of two workers
  scenario::Cluster cluster = star(8, 1_ms, 1_Gbps);
  cluster.workers_per_node = 2;
  cluster.inner_link = netmodels::LinkState{1_us, 100_Gbps};
  cluster.topology = scenario::topology("racks", scenario::Racks{4, 1});
  return cluster;
}

netmodels::Result<FailurePlan> failure_plan_of(scenario::Cluster cluster, std::vector<Failure> failures) {
  cluster.failures = std::move(failures);
  const auto platform = Platform::make(cluster);
  return FailurePlan::make(cluster, **platform);
}

Failure worker_at(int worker, netmodels::Seconds at) { return {worker, std::nullopt, at, std::nullopt}; }
Failure link_at(const std::string& link, netmodels::Seconds at,
                std::optional<netmodels::Seconds> until = {}) {
  return {std::nullopt, link, at, until};
}

TEST(FailurePlan, IsPlayedInOrderOfTimeWhateverTheFileSays) {
  FailurePlan plan = *failure_plan_of(star(4, 1_ms, 1_Gbps), {worker_at(3, 9_s), worker_at(1, 4_s)});
  EXPECT_FALSE(plan.next_before({3.9}).has_value());
  EXPECT_EQ(plan.next_before(100_s)->lost, std::vector<std::uint32_t>{1});
  const auto second = plan.next_before(100_s);
  EXPECT_EQ(second->at, 9_s);
  EXPECT_EQ(second->what, "worker 3");
  EXPECT_FALSE(plan.next_before(100_s).has_value());
}

TEST(FailurePlan, AFailureAtTheVeryEndIsThatOfTheNextStep) {
  FailurePlan plan = *failure_plan_of(star(4, 1_ms, 1_Gbps), {worker_at(1, 4_s)});
  EXPECT_FALSE(plan.next_before(4_s).has_value());
  EXPECT_TRUE(plan.next_before({4.000001}).has_value());
}

TEST(FailurePlan, ALinkThatComesBackLosesNobody) {
  FailurePlan plan = *failure_plan_of(star(4, 1_ms, 1_Gbps), {link_at("worker2", 4_s, 6_s)});
  const auto broken = plan.next_before(5_s);
  EXPECT_TRUE(broken->lost.empty());
  EXPECT_EQ(broken->until, 6_s);
  EXPECT_EQ(broken->what, "link worker2");
}

TEST(FailurePlan, ALinkThatStaysDownLosesWhoIsBehindIt) {
  FailurePlan plan = *failure_plan_of(racks_of_nodes(), {link_at("node1", 4_s), link_at("worker5_UP", 5_s)});
  EXPECT_EQ(plan.next_before(9_s)->lost, (std::vector<std::uint32_t>{2, 3}));
  EXPECT_EQ(plan.next_before(9_s)->lost, (std::vector<std::uint32_t>{5}));
}

TEST(FailurePlan, ARacksLinkThatStaysDownLosesTheRack) {
  FailurePlan plan = *failure_plan_of(racks_of_nodes(), {link_at("rack1", 4_s)});
  EXPECT_EQ(plan.next_before(9_s)->lost, (std::vector<std::uint32_t>{4, 5, 6, 7}));
}

TEST(FailurePlan, ASwitchLinkThatStaysDownHasNobodyOfItsOwnToLose) {
  scenario::Cluster torus = star(4, 1_ms, 1_Gbps);
  torus.topology = scenario::topology("torus", scenario::Torus{{4}});
  std::string name;
  {
    const auto platform = Platform::make(torus);
    name = (*platform)->links().front().name;
  }
  FailurePlan plan = *failure_plan_of(torus, {link_at(name, 4_s)});
  const auto broken = plan.next_before(9_s);
  EXPECT_TRUE(broken->lost.empty());
  EXPECT_FALSE(broken->until.has_value());
}

TEST(FailurePlan, AnUnknownLinkIsRefusedWithTheNearest) {
  EXPECT_EQ(failure_plan_of(star(4, 1_ms, 1_Gbps), {link_at("wroker2_UP", 4_s)}).error().text(),
            "cluster.failures[0].link: unknown link `wroker2_UP`; did you mean `worker2_UP`?");
}

TEST(FailurePlan, ALinkLikeNoOtherIsRefusedWithWhereToLook) {
  EXPECT_EQ(failure_plan_of(star(4, 1_ms, 1_Gbps), {link_at("backbone", 4_s)}).error().text(),
            "cluster.failures[0].link: unknown link `backbone`; `sim explain` prints the links");
}

}  // namespace
}  // namespace sim::engine
