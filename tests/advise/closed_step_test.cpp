// Closed forms of a step against the simulator; the dense training of a question.
#include "sim/advise/closed_step.hpp"

#include <gtest/gtest.h>

#include "policies/local_steps.hpp"
#include "sim/advise/policy_advice.hpp"
#include "sim/engine/simulate.hpp"
#include "tests/advise/asked.hpp"

namespace sim::advise {

// The criterion of dense steps, and a training without its policies.

namespace {

TEST(DenseTraining, MeetsInEveryStepAndSendsAll) {
  EXPECT_TRUE(is_dense({}, {}));
  scenario::Scenario local;
  local.exchange.synchronisation = policies::synchronisation("periodic", policies::Periodic::Settings{});
  EXPECT_FALSE(is_dense(local.exchange.synchronisation, local.exchange.compression));
  scenario::Scenario compressed;
  compressed.exchange.compression.method = "topk";
  EXPECT_FALSE(is_dense(compressed.exchange.synchronisation, compressed.exchange.compression));
  scenario::Scenario decided;
  decided.exchange.compression.policy = *policies::find_compression("gravac");
  EXPECT_FALSE(is_dense(decided.exchange.synchronisation, decided.exchange.compression));
}

TEST(DenseTraining, KeepsNothingOfAPolicy) {
  scenario::Scenario training;
  training.work.training.batch = 48;
  training.exchange.synchronisation = policies::synchronisation("periodic", policies::Periodic::Settings{});
  training.exchange.compression.method = "ar_topk";
  training.exchange.compression.selection = scenario::Selection::variance;
  training.exchange.compression.warm_up.epochs = 3;
  training.exchange.collective = "ring_allreduce";
  const scenario::Scenario dense = dense_of(training);
  EXPECT_TRUE(is_dense(dense.exchange.synchronisation, dense.exchange.compression));
  EXPECT_EQ(dense.exchange.compression.selection, scenario::Selection::staleness);
  EXPECT_EQ(dense.exchange.collective, "auto");
  EXPECT_EQ(dense.work.training.batch, 48);
}

}  // namespace

// Steps by closed forms, against figures by hand and against the simulator.

namespace {

scenario::Scenario candidate_of(const std::string& advice, const std::vector<std::string>& settings = {}) {
  return asked(by_hand + "advice: {" + advice + "}\n", settings).candidates.front().worlds.front();
}

ClosedStep closed(const scenario::Scenario& scenario) {
  return closed_step(scenario, link_states(scenario.cluster)->front());
}

TEST(ClosedStep,
     IsComputingAndTheFormulaOfItsCollective) {  // 30 ms + 2 (N-1) (L + M/(N B)) = 30 + 6 (1 + 8) ms
  const ClosedStep step = closed(candidate_of("compression: [none], collectives: [ring_allreduce]"));
  EXPECT_NEAR(step.duration.count, 0.084, 1e-12);
  EXPECT_NEAR(step.parts.exchange.count, 0.054, 1e-12);
  EXPECT_NEAR(step.latency.count, 0.006, 1e-12);
  EXPECT_EQ(step.collective, "ring_allreduce");
}

TEST(ClosedStep, AutoIsTheCheapestFormula) {
  const ClosedStep step = closed(candidate_of("compression: [none], collectives: [auto]"));
  EXPECT_EQ(step.collective, "halving_doubling_allreduce");
  EXPECT_NEAR(step.duration.count, 0.030 + 0.004 + 0.048, 1e-12);
}

TEST(ClosedStep, LocalStepsShareTheCostOfOneExchange) {
  const ClosedStep step = closed(candidate_of(
      "synchronisation: [{method: periodic, every: 6}], compression: [none], collectives: [ring_allreduce]"));
  EXPECT_NEAR(step.duration.count, 0.030 + 0.054 / 6, 1e-12);
  EXPECT_NEAR(step.latency.count, 0.001, 1e-12);
}

TEST(ClosedStep, EagerUpdatesHideAsMuchAsTheStepsOfARoundTake) {  // 30 ms of 54 ms, or all of it
  const auto step = [](const std::string& every) {
    return closed(candidate_of("synchronisation: [{method: diloco, eager: true, every: " + every +
                               "}], compression: [none], collectives: [ring_allreduce]"));
  };
  EXPECT_NEAR(step("1").duration.count, 0.030 + 0.024, 1e-12);
  EXPECT_NEAR(step("6").duration.count, 0.030, 1e-12);
  EXPECT_NEAR(step("6").exchange_busy.count, 0.054 / 6, 1e-12);
}

TEST(ClosedStep, CountsWhatAWorkerGathers) {  // 1 % of 10^6 values, 8 B each, from three others
  const ClosedStep step =
      closed(candidate_of("compression: [topk], ratios: [1 %], collectives: [ring_allgather]"));
  EXPECT_NEAR(step.gathered.count, 3 * 80000.0, 1e-6);
}

TEST(ClosedStep, AgreesWithTheSimulatorOnHardwareThatNcclRunsOn) {
  const std::string text =
      "# Does it pay?\nworkload: resnet50_v100\ncluster: {use: nvidia_dgx_h100}\n"
      "training: {batch: 32, steps: 2}\nadvice: {ratios: [1 %], collectives: [ring_allreduce, "
      "ring_allgather], "
      "compression: [none, topk]}\n";
  const scenario::PolicyQuestion question = asked(text);
  EXPECT_EQ(question.candidates.size(), 2U);
  engine::LearnerShelf shelf(data_folder);
  engine::ClusterCache clusters;
  for (const scenario::PolicyCandidate& one : question.candidates) {
    const scenario::Scenario& world = one.worlds.front();
    const auto simulated = engine::simulate(world, {}, shelf, clusters);
    ASSERT_TRUE(simulated) << simulated.error().text();
    EXPECT_GT(simulated->evaluators.nccl, 0U);
    EXPECT_EQ(simulated->evaluators.path, 0U);
    EXPECT_NEAR(closed_step(world, world.cluster.link).duration / simulated->whole.step_time(), 1, 1e-9)
        << one.compression << " " << one.collective;
  }
}

/// The ring moves at the rate of the link, so that bytes, and the fill of its pipeline, take four times as
/// long at a quarter of it.
TEST(ClosedStep, TakesSlowerLinksIntoNcclsTimes) {
  const std::string text =
      "# Does it pay?\nworkload: resnet50_v100\ncluster: {workers: 4, nccl: {gpu: {compute_capability: 70, "
      "per_node: 1}, network: {kind: infiniband, rate: 100 Gbit/s}, environment: {protocols: [Simple], "
      "algorithms: [ring]}}}\ntraining: {batch: 32, steps: 2}\nadvice: {synchronisation: [bsp], collectives: "
      "[ring_allreduce], compression: [none]}\n";
  scenario::Scenario world = asked(text).candidates.front().worlds.front();
  netmodels::LinkState link = world.cluster.link;
  const ClosedStep quiet = closed_step(world, link);
  link.bandwidth *= .25;
  const ClosedStep slow = closed_step(world, link);
  const double wire = (quiet.exchange_busy - quiet.latency).count;
  const double added = (slow.exchange_busy - quiet.exchange_busy).count;
  EXPECT_GT(added, 3 * wire);
  EXPECT_LT(added, 3.3 * wire);
  const ClosedStep slower = closed_step(world, {link.latency, link.bandwidth / 2});
  EXPECT_NEAR((slower.exchange_busy - slow.exchange_busy).count, added * (8 - 4) / (4 - 1), 1e-9);
  scenario::Scenario changed = world;
  changed.cluster.worker_links = {{{0, 1, 2, 3}, link}};
  engine::LearnerShelf shelf(data_folder);
  engine::ClusterCache clusters;
  const auto simulated = engine::simulate(changed, {}, shelf, clusters);
  ASSERT_TRUE(simulated) << simulated.error().text();
  EXPECT_NEAR(slow.duration / simulated->whole.step_time(), 1, 1e-9);
}

TEST(ClosedStep, AgreesWithTheSimulatorOnEveryCandidateOfTheCatalogue) {
  const std::string text =
      "# Does it pay?\nworkload: resnet50_v100\ncluster: {workers: 8, link: {latency: 1 ms, bandwidth: 5 "
      "Gbit/s}}\n"
      "training: {batch: 32, steps: 2}\nadvice: {synchronisation: [bsp, {method: periodic, every: 2}], "
      "ratios: [1 %], "
      "collectives: [ring_allreduce, tree_allreduce, ring_allgather, ar_topk_ring], compression: [none, "
      "fp16, topk, "
      "ar_topk, powersgd]}\n";
  const scenario::PolicyQuestion question = asked(text);
  // 12 with gradients in every step, and the changes of models with each of 4 compressions more
  EXPECT_EQ(question.candidates.size(), 20U);
  engine::LearnerShelf shelf(data_folder);
  engine::ClusterCache clusters;
  for (const scenario::PolicyCandidate& one : question.candidates) {
    const scenario::Scenario& world = one.worlds.front();
    const auto played = engine::simulate(world, {}, shelf, clusters);
    ASSERT_TRUE(played) << played.error().text();
    EXPECT_NEAR(closed(world).duration / played->whole.step_time(), 1, 1e-9)
        << one.compression << " " << one.collective;
  }
}

}  // namespace
}  // namespace sim::advise
