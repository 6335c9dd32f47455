// Unknowns of a step: what a scenario states, put into it, changes nothing.
#include "sim/fit/step_unknowns.hpp"

#include <gtest/gtest.h>

#include "sim/scenario/nccl_keys.hpp"
#include "tests/arm_parts.hpp"
#include "tests/fit/fitted.hpp"

namespace sim::fit {
namespace {

using testing::data_folder;

/// A transformer on two nodes of eight GPUs, in tensor groups of 8.
/// @param interfaces  of a node
scenario::Scenario in_groups(int interfaces, int tensor) {
  const tests::ScratchFolder scratch;
  const std::string text = fmt::format(
      "# Two nodes\nworkload: {{model: gpt2_medium, device: h100_sxm_datasheet, mfu: 40 %}}\n"
      "cluster: {{workers: 16, workers_per_node: 8, nccl: {{version: 2.26, gpu: {{compute_capability: 90, "
      "per_node: 8}}, nvlink: {{links: 18, link_rate: 25 GB/s, fabric: switch}}, pcie: {{generation: 5}}, "
      "network: {{kind: infiniband, nics_per_node: {}, rate: 400 Gbit/s, path: PXB, measured_rate: 20 "
      "GB/s}}}}}}\ntraining: {{batch: 8, steps: 2, samples: 1000}}\nparallelism: {{tensor: {}}}\n",
      interfaces, tensor);
  auto reading =
      scenario::read_study(scratch.write("s.yaml", text), {}, data_folder, report::expectable_metrics());
  EXPECT_TRUE(reading) << (reading ? "" : reading.error().text());
  return reading ? std::move(reading->study.arms.front()) : scenario::Scenario{};
}

const UnknownRow& interface_goodput() {
  for (const UnknownRow& row : unknown_rows())
    if (row.key == "cluster.nccl.network.measured_rate") return row;
  return unknown_rows().front();
}

// By hand: of eight interfaces, a group of 8 has one each, 20 GB/s; of four, half of one, 10 GB/s.
TEST(StepUnknowns, AnInterfaceIsSharedOnceByATensorGroup) {
  const UnknownRow& row = interface_goodput();
  for (const auto& [interfaces, own] : {std::pair{8, 20e9}, std::pair{4, 10e9}}) {
    scenario::Scenario arm = in_groups(interfaces, 8);
    ASSERT_TRUE(row.applies(arm));
    EXPECT_DOUBLE_EQ(row.stated(arm).value_or(0), 20e9);
    row.put(arm, 20e9);
    EXPECT_DOUBLE_EQ(arm.cluster.link.bandwidth.count, own) << interfaces;
    EXPECT_DOUBLE_EQ(scenario::nccl_of(arm)->network->measured_rate->count, own) << interfaces;
    EXPECT_DOUBLE_EQ(row.prior(arm, {1}).most, 50e9) << interfaces;
  }
}

TEST(StepUnknowns, PuttingTheStatedValueChangesNothing) {
  const UnknownRow& row = interface_goodput();
  for (const int tensor : {1, 2, 4, 8}) {
    const scenario::Scenario before = in_groups(8, tensor);
    scenario::Scenario arm = before;
    row.put(arm, *row.stated(arm));
    EXPECT_NEAR(arm.cluster.link.bandwidth / before.cluster.link.bandwidth, 1, 1e-9) << tensor;
    EXPECT_NEAR(*arm.cluster.nccl->network->measured_rate / *before.cluster.nccl->network->measured_rate, 1,
                1e-9)
        << tensor;
  }
}

}  // namespace
}  // namespace sim::fit
