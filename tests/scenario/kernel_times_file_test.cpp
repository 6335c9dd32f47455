// Files of kernel costs: what is read of them, and which scenarios use it.
#include "sim/scenario/kernel_times_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/scenario/scenario_text.hpp"

namespace sim::scenario {
namespace {

const std::string file =
    "device: a device\n"
    "kernels:\n"
    "  - {method: topk, fixed: 20 us, per_million_values: 1 ms, per_million_kept: 30 ms, smallest: 1000, "
    "largest: "
    "1000000, median_error: 2 %, p90_error: 5 %, worst_error: 9 %}\n";

TEST(KernelCostsFile, CostsArePerValue) {
  const Scratch scratch;
  const auto costs = read_kernel_costs(scratch.write("k.yaml", file));
  ASSERT_TRUE(costs) << costs.error().text();
  EXPECT_EQ(costs->device, "a device");
  ASSERT_EQ(costs->rows.size(), 1U);
  const netmodels::MeasuredKernel& row = costs->rows.front();
  EXPECT_EQ(row.method, "topk");
  EXPECT_NEAR(row.cost.time(2e6, 0.01).count, 20e-6 + 2e-3 + 0.6e-3, 1e-15);
  EXPECT_EQ(row.p90_error, 0.05);
  EXPECT_EQ(row.largest, 1000000);
}

TEST(KernelCostsFile, IsSoughtBesideTheScenario) {
  const Scratch scratch;
  scratch.write("k.yaml", file);
  const auto reading =
      read(scratch, least + "compression: {method: topk, ratio: 1 %, kernel_times: k.yaml}\n");
  ASSERT_TRUE(reading) << reading.error().text();
  EXPECT_EQ(reading->study.arms.front().compression.kernel_device, "a device");
}

TEST(KernelCostsFile, RefusesAnUnknownKey) {
  const Scratch scratch;
  const auto costs = read_kernel_costs(scratch.write("k.yaml", file + "kernel: []\n"));
  ASSERT_FALSE(costs);
  EXPECT_THAT(costs.error().text(), ::testing::HasSubstr("kernel"));
  EXPECT_THAT(refusal(least + "compression: {method: topk, ratio: 1 %, kernel_times: none.yaml}\n"),
              ::testing::HasSubstr("none.yaml"));
}

}  // namespace
}  // namespace sim::scenario
