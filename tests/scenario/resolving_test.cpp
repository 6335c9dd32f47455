// The order in which values of an arm follow from others, and what does not depend on it.
#include "sim/scenario/resolving.hpp"

#include <algorithm>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include "sim/scenario/arm_reader.hpp"
#include "sim/scenario/arms.hpp"
#include "sim/scenario/execution.hpp"
#include "sim/scenario/file_keys.hpp"
#include "sim/scenario/overlay.hpp"
#include "tests/arm_parts.hpp"
#include "tests/scenario/scenario_text.hpp"

namespace sim::scenario {
namespace {

/// GPUs of tensor groups and stages, with fabrics, a pipeline, micro-batches, and passes that wait for each
/// other.
const std::string of_replicas =
    "# How long?\n"
    "workload: {model: llama2_7b, device: a100_sxm4_80gb_datasheet, stack: pytorch-fsdp-2023}\n"
    "cluster:\n"
    "  workers: 32\n"
    "  workers_per_node: 8\n"
    "  fabric: {kind: infiniband, rate: 200 Gbit/s, transport: infiniband}\n"
    "  inner_fabric: {kind: nvlink, rate: 300 GB/s, transport: nvlink}\n"
    "training: {batch: 8, accumulation: 8, steps: 5}\n"
    "compute: {host_overhead: 2 ms}\n"
    "parallelism: {tensor: 4, pipeline: 2, gradient_bytes: 2}\n";

/// Cores, a rank, and a stack by default.
const std::string of_cores =
    "# How long?\n"
    "workload: resnet50_v100\n"
    "cluster: {workers: 4, link: {latency: 1 ms, bandwidth: 10 Gbit/s}, cores: [4, 4, 8, 16]}\n"
    "training: {batch: 32, steps: 10}\n"
    "compression: {method: powersgd, rank: 4}\n";

/// Every derived value in words.
std::string describe(const Scenario& arm) {
  std::string text = describe_execution(arm) + describe_memory(arm) + arm.work.workload.provenance;
  const double batch = batch_of(arm.work.training, 0);
  for (const netmodels::Layer& layer : arm.work.workload.layers)
    text += fmt::format(" {}/{}", layer.forward.at(batch).count, layer.backward.at(batch).count);
  return text + fmt::format(" host {} training {} {} ratio {} stack {} {} overlap {} {} width {} speeds {}",
                            arm.work.workload.host_overhead.at(batch).count, arm.work.training.samples,
                            arm.work.training.epochs, arm.exchange.compression.ratio,
                            arm.exchange.compression.stack, arm.exchange.compression.framework.rows.size(),
                            arm.exchange.overlap_slowdown, arm.exchange.overlap_slowdown_origin,
                            arm.work.parallelism.states.gradient, fmt::join(arm.cluster.speeds, ","));
}

/// The only arm of a text, resolved with derivations in some order.
Scenario resolved_in(std::span<const Derivation> order, const std::string& text) {
  const tests::ScratchFolder scratch;
  auto document = read_root(scratch.write("s.yaml", text), {}, data_dir);
  auto arms = spread_arms(document->root, data_dir);
  language::Value tree = std::move(arms->arms.at(0).tree);
  find_files(tree, data_dir);
  ArmFiles files(data_dir);
  const auto stated = read_stated("arm", tree, files);
  EXPECT_TRUE(stated) << (stated ? "" : stated.error().text());
  Resolving arm{.written = *stated, .tree = tree, .files = files, .scenario = *stated};
  const auto resolved = resolve(arm, order);
  EXPECT_TRUE(resolved) << (resolved ? "" : resolved.error().text());
  return arm.scenario;
}

TEST(Resolving, EachPartIsGivenOnceAndByAnotherThanNeedsIt) {
  Parts given;
  const auto add = [&](const auto& step) {
    EXPECT_FALSE(given.meets(step.gives)) << step.name;
    EXPECT_FALSE(step.needs.meets(step.gives)) << step.name;
    given |= step.gives;
  };
  for (const Derivation& step : derivations()) add(step);
  for (const Check& step : checks()) add(step);
  for (const Derivation& step : derivations()) EXPECT_TRUE(given.contains(step.needs)) << step.name;
  for (const Check& step : checks()) EXPECT_TRUE(given.contains(step.needs)) << step.name;
}

TEST(Resolving, EveryStepIsReachedFromWhatIsStated) {
  Parts given;
  std::size_t reached = 0;
  for (std::size_t before = 1; before != reached;) {
    before = reached;
    reached = 0;
    const auto take = [&](const auto& step) {
      if (!given.contains(step.needs)) return;
      given |= step.gives;
      ++reached;
    };
    for (const Derivation& step : derivations()) take(step);
    for (const Check& step : checks()) take(step);
  }
  EXPECT_EQ(reached, derivations().size() + checks().size());
}

TEST(Resolving, OrderOfIndependentDerivationsChangesNothing) {
  for (const std::string& text : {of_replicas, of_cores}) {
    const Scenario usual = resolved_in(derivations(), text);
    std::vector<Derivation> order(derivations().begin(), derivations().end());
    std::mt19937 random(1);
    for (int round = 0; round < 20; ++round) {
      std::shuffle(order.begin(), order.end(), random);
      const Scenario other = resolved_in(order, text);
      EXPECT_EQ(describe(other), describe(usual));
      EXPECT_EQ(other.cluster, usual.cluster);
      EXPECT_EQ(other.stated->cluster, usual.stated->cluster);
    }
  }
}

TEST(Resolving, StatedValuesStayAsTheyAre) {
  const tests::ScratchFolder scratch;
  auto document = read_root(scratch.write("s.yaml", of_replicas), {}, data_dir);
  ArmFiles files(data_dir);
  const auto stated = read_stated("arm", document->root, files);
  ASSERT_TRUE(stated) << stated.error().text();
  EXPECT_EQ(stated->cluster.workers, 32);
  EXPECT_EQ(stated->cluster.link, netmodels::LinkState{});
  EXPECT_EQ(stated->work.workload.micro_batches, 1U);
  const Scenario resolved = resolved_in(derivations(), of_replicas);
  EXPECT_EQ(resolved.cluster.workers, 4);  // 32 GPUs by 4 x 2
  EXPECT_EQ(resolved.work.workload.micro_batches, 8U);
  EXPECT_EQ(resolved.work.parallelism.states.gradient, 2);
  EXPECT_EQ(resolved.work.training.samples, 8 * 4 * 5);  // of one epoch: batch x replicas x steps
}

TEST(Resolving, ErrorsOfIndependentChecksAreReportedTogether) {
  EXPECT_EQ(
      refusal("# q\n"
              "workload: resnet50_v100\n"
              "cluster: {workers: 4, link: {latency: 1 ms, bandwidth: 10 Gbit/s}}\n"
              "training: {batch: 32, batches: [1, 2], steps: 10}\n"
              "compression: {method: topk}\n"),
      "s.yaml:4:32: `training.batches`: 2 batches are given for 4 workers; give one for each worker\n"
      "s.yaml:5:14: the key `compression.ratio` is missing, although `topk` needs it; write for example "
      "`ratio: 0.01` (kept / original)");
}

}  // namespace
}  // namespace sim::scenario
