// The bars of a step by hand.
#include <algorithm>
#include <set>

#include <gtest/gtest.h>

#include "sim/engine/simulate.hpp"
#include "tests/engine/clusters.hpp"

namespace sim::engine {
namespace {

using namespace netmodels::literals;
using namespace testing;

std::vector<Span> bars_of(scenario::Scenario scenario,
                          scenario::TimelineWorkers workers = scenario::TimelineWorkers::full) {
  scenario.simulation.output.timeline = workers;
  std::vector<Span> bars;
  Listeners listeners;
  listeners.span = [&](const Span& span) { bars.push_back(span); };
  (void)played(scenario, listeners).value();
  return bars;
}

/// The bar of this worker and step whose name begins so.
Span bar(const std::vector<Span>& bars, int worker, std::int64_t step, const std::string& name) {
  const auto found = std::ranges::find_if(bars, [&](const Span& span) {
    return span.worker == worker && span.step == step && span.name.starts_with(name);
  });
  if (found != bars.end()) return *found;
  ADD_FAILURE() << name;
  return {};
}

void expect_bar(const Span& span, double start, double end) {
  EXPECT_NEAR(span.start.count, start, 1e-12) << span.name;
  EXPECT_NEAR((span.start + span.duration).count, end, 1e-12) << span.name;
}

TEST(DrawStep,
     BarsFollowTheStepByHand) {  // 40 ms, 80 ms, a ring of 160 ms, 1 ms; the second step begins at 281 ms
  const auto bars = bars_of(plain(2, {}, {100e6}, 2));
  EXPECT_EQ(bars.size(), 2U * 2 * 4);
  for (const int worker : {0, 1}) {
    expect_bar(bar(bars, worker, 0, "forward"), 0, 0.040);
    expect_bar(bar(bars, worker, 0, "backward"), 0.040, 0.120);
    expect_bar(bar(bars, worker, 0, "bucket 1: ring_allreduce"), 0.120, 0.280);
    expect_bar(bar(bars, worker, 0, "optimizer"), 0.280, 0.281);
    expect_bar(bar(bars, worker, 1, "forward"), 0.281, 0.321);
  }
}

TEST(DrawStep, LanesKeepComputingAndExchangingApart) {
  for (const Span& span : bars_of(plain(2, {}, {100e6}, 1))) {
    EXPECT_EQ(span.lane, span.name.starts_with("bucket") ? "exchange" : "compute") << span.name;
  }
}

TEST(DrawStep, AFastWorkerIsDoneEarlier) {
  scenario::Scenario scenario = plain(2, {}, {100e6}, 1);
  scenario.cluster.speeds = {1, 0.5};
  const auto bars = bars_of(scenario);
  expect_bar(bar(bars, 0, 0, "backward"), 0.040, 0.120);
  expect_bar(bar(bars, 1, 0, "backward"), 0.080, 0.240);
  expect_bar(bar(bars, 0, 0, "bucket 1"), 0.240, 0.400);
}

TEST(DrawStep, HostOverheadAndCompressionHaveBarsOfTheirOwn) {
  scenario::Scenario scenario = plain(2, {}, {100e6}, 1);
  scenario.work.workload.host_overhead = {5_ms, {}};
  scenario.exchange.compression = sent_as("ar_topk", 0.01, 3_ms);
  const auto bars = bars_of(scenario);
  expect_bar(bar(bars, 0, 0, "host overhead"), 0, 0.005);
  expect_bar(bar(bars, 0, 0, "bucket 1: compress"), 0.125, 0.128);
  EXPECT_EQ(bar(bars, 0, 0, "bucket 1: b").name, "bucket 1: binomial_broadcast ring_allreduce");
}

std::set<int> drawn_in_brief(const scenario::Scenario& scenario) {
  std::set<int> workers;
  for (const Span& span : bars_of(scenario, scenario::TimelineWorkers::brief)) workers.insert(span.worker);
  return workers;
}

TEST(DrawStep, BriefDrawsTheFirstNodeAndOneWorkerOfEachOtherSpeed) {
  scenario::Scenario scenario = plain(8, {}, {100e6}, 1);
  EXPECT_EQ(drawn_in_brief(scenario), (std::set<int>{0}));
  scenario.cluster.speeds = {1, 1, 1, 1, 1, 0.5, 0.5, 0.25};
  EXPECT_EQ(drawn_in_brief(scenario), (std::set<int>{0, 5, 7}));
  scenario.cluster.workers_per_node = 2;
  scenario.cluster.inner_link = netmodels::LinkState{{}, {1e12}};
  EXPECT_EQ(drawn_in_brief(scenario), (std::set<int>{0, 1, 5, 7}));
}

TEST(DrawStep, BriefDrawsAtMostEightWorkersWhereEachHasASpeedOfItsOwn) {
  scenario::Scenario scenario = plain(20, {}, {100e6}, 1);
  for (int worker = 0; worker < 20; ++worker) scenario.cluster.speeds.push_back(1.0 / (1 + worker));
  EXPECT_EQ(drawn_in_brief(scenario), (std::set<int>{0, 1, 2, 3, 4, 5, 6, 7, 8}));
}

TEST(DrawStep, WhoIsLostLeavesNoBars) {
  scenario::Scenario scenario = plain(3, {}, {100e6}, 3);
  scenario.cluster.failures = {{1, std::nullopt, {0.1}, std::nullopt}};
  for (const Span& span : bars_of(scenario)) EXPECT_NE(span.worker, 1);
}

}  // namespace
}  // namespace sim::engine
