// The table of metrics: each row is complete, and no key or name occurs twice.
#include "sim/report/metric.hpp"

#include <cmath>
#include <set>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/report/collective_names.hpp"
#include "tests/report/simulated.hpp"

namespace sim::report {
namespace {

using testing::ElementsAre;

TEST(Metric, EveryRowIsDescribedAndHasAColumnOrAName) {
  std::set<std::string_view> keys;
  std::set<std::string_view> names;
  for (const Metric& metric : metrics()) {
    EXPECT_FALSE(metric.doc.empty()) << metric.key << metric.name;
    EXPECT_FALSE(metric.key.empty() && metric.name.empty()) << metric.doc;
    EXPECT_EQ(metric.key.empty(), metric.title.empty()) << metric.key << metric.name;
    EXPECT_TRUE(metric.key.empty() || keys.insert(metric.key).second) << metric.key;
    EXPECT_TRUE(metric.name.empty() || names.insert(metric.name).second) << metric.name;
  }
}

TEST(Metric, AShareKnowsWhatItIsOf) {
  EXPECT_EQ(find_metric("method_share")->of, language::ShareOf::method);
  EXPECT_EQ(find_metric("collective_share")->of, language::ShareOf::collective);
  EXPECT_EQ(find_metric("ratio_share")->of, language::ShareOf::ratios);
  EXPECT_EQ(find_metric("step_time")->of, language::ShareOf::nothing);
}

TEST(Metric, OnlyRowsWithANameCanBeExpected) {
  EXPECT_EQ(find_metric(""), nullptr);
  EXPECT_EQ(find_metric("experiment_steps"), nullptr);
  EXPECT_NE(find_metric("step_time"), nullptr);
}

/// 2 ms and 1 ms a sample of a batch of 32; 3 ms and 0.
TEST(Metric, ExchangesInsideReplicasAndTheirPipelineAreNamed) {
  TestStudy test;
  SimulatedArm& arm = test.add("dense", "none", {phase("all", {})});
  const auto cell = [&](std::string_view name) {
    return find_metric(name)->get({&test.played, &arm, &arm.result.whole, true});
  };
  EXPECT_EQ(cell("replica_exchange_time"), command_line::Cell(0.0));
  scenario::Scenario scenario = *arm.scenario;
  netmodels::ReplicaShare& replica = scenario.work.workload.replica.emplace();
  replica.exchanges = {ms(2), ms(1)};
  replica.bubble = {ms(3), {}};
  arm.scenario = &scenario;
  EXPECT_DOUBLE_EQ(std::get<double>(cell("replica_exchange_time")), 34e-3);
  EXPECT_DOUBLE_EQ(std::get<double>(cell("replica_bubble_time")), 3e-3);
}

TEST(Metric, NcclsAlgorithmsAreNamedWhereItChooses) {
  TestStudy test;
  SimulatedArm& arm = test.add("dense", "none", {phase("all", {})});
  EXPECT_EQ(collective_names({&test.played, &arm, &arm.result.whole, true}), "ring_allreduce");
  engine::ExplainedStep step = explained("all", 1, 4);
  step.exchanges.resize(3, step.exchanges.front());
  using netmodels::nccl::Algorithm;
  for (const auto& [index, algorithm] :
       {std::pair{0U, Algorithm::nvls}, std::pair{1U, Algorithm::nvls_tree}, std::pair{2U, Algorithm::nvls}})
    step.exchanges[index].nccl = netmodels::nccl::Time{.choice = netmodels::nccl::Choice{algorithm}};
  arm.explained = {step};
  EXPECT_EQ(collective_names({&test.played, &arm, &arm.result.whole, true}),
            fmt::format("NCCL {}, {}", to_string(Algorithm::nvls), to_string(Algorithm::nvls_tree)));
  EXPECT_EQ(collective_names({&test.played, &arm, &arm.result.phases.front(), false}),
            fmt::format("NCCL {}, {}", to_string(Algorithm::nvls), to_string(Algorithm::nvls_tree)));
}

TEST(Metric, TokensAndUtilisationAreOfTransformers) {
  TestStudy test;
  SimulatedArm& arm = test.add("dense", "none", {phase("all", {})});
  const auto cell = [&](std::string_view name) {
    return find_metric(name)->get({&test.played, &arm, &arm.result.whole, true});
  };
  arm.result.whole.samples_per_second = 6;
  EXPECT_EQ(cell("tokens_per_second"), command_line::Cell());
  scenario::Scenario scenario = *arm.scenario;
  scenario.cluster.workers = 3;
  netmodels::TokenWork& sample = scenario.work.workload.token_work.emplace();
  sample.tokens = 100;
  sample.work = {1e12};
  sample.peak = {4e12};
  arm.scenario = &scenario;
  EXPECT_EQ(cell("tokens_per_second"), command_line::Cell(600.0));
  EXPECT_EQ(cell("model_flops_utilisation"), command_line::Cell(0.5));
  EXPECT_EQ(cell("worker_memory"), command_line::Cell());
}

TEST(Metric, ATableHasTheMetricsOfItsPlace) {
  EXPECT_THAT(keys_at(in_step_parts), ElementsAre("compute_time_s", "wait_time_s", "compress_time_s",
                                                  "stream_wait_time_s", "exposed_time_s"));
  TestStudy test;
  SimulatedArm& arm = test.add("dense", "none", {phase("early", {}), phase("late", {})});
  const RunPart early{&test.played, &arm, &arm.result.phases[0], false};
  const command_line::Table phases = metric_table(std::span(&early, 1), in_phases);
  EXPECT_EQ(phases.columns.front().key, "phase");
  EXPECT_EQ(phases.rows.front().front(), command_line::Cell("early"));
  EXPECT_FALSE(column_of(phases, "arm"));
  EXPECT_FALSE(column_of(phases, "batch_changes"));
}

// Ten steps of 100 ms, 256 samples each, on machines that cost 7200 USD/h together: 2 USD for 2560 samples.
TEST(Metric, CostIsOfAllMachinesForTheWholeRun) {
  TestStudy test;
  SimulatedArm& arm = test.add("dense", "none", {phase("all", {.compute_ms = 100})});
  const auto cell = [&](std::string_view name, bool whole = true) {
    return find_metric(name)->get({&test.played, &arm, &arm.result.whole, whole});
  };
  EXPECT_EQ(cell("cost"), command_line::Cell());
  EXPECT_EQ(cell("thousand_samples_cost"), command_line::Cell());
  test.scenario().rented = {2, {1}, "stated"};
  EXPECT_DOUBLE_EQ(std::get<double>(cell("cost")), 2);
  EXPECT_DOUBLE_EQ(std::get<double>(cell("thousand_samples_cost")), 2 / 2.56);
  EXPECT_EQ(cell("cost", false), command_line::Cell());
  EXPECT_EQ(cell("target_cost"), command_line::Cell());
  arm.result.learning = engine::LearningResult{};
  arm.result.learning->target = engine::Evaluated{.at = netmodels::Seconds{0.5}};
  EXPECT_DOUBLE_EQ(std::get<double>(cell("target_cost")), 1);
}

// A failure of the one machine every 1 s on average, and no checkpoint: 1 s of training takes (e - 1) s.
TEST(Metric, CostWithFailuresIsOfTheExpectedTime) {
  TestStudy test;
  SimulatedArm& arm = test.add("dense", "none", {phase("all", {.compute_ms = 100})});
  test.scenario().cluster.workers = 1;
  test.scenario().rented = {1, {1}, "stated"};
  test.scenario().availability = scenario::Availability{.mtbf = netmodels::Seconds{1}};
  const auto cost = find_metric("cost")->get({&test.played, &arm, &arm.result.whole, true});
  EXPECT_NEAR(std::get<double>(cost), std::exp(1) - 1, 1e-9);
}

}  // namespace
}  // namespace sim::report
