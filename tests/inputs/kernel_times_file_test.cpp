// Files of kernel costs: what is read of them, and which scenarios use it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/inputs/input_files.hpp"
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
  const tests::ScratchFolder scratch;
  const auto costs = inputs::read_kernel_costs(scratch.write("k.yaml", file));
  ASSERT_TRUE(costs) << costs.error().text();
  EXPECT_EQ(costs->device, "a device");
  ASSERT_EQ(costs->rows.size(), 1U);
  const netmodels::MeasuredKernel& row = costs->rows.front();
  EXPECT_EQ(row.method, "topk");
  EXPECT_NEAR(row.cost.time(2e6, 0.01).count, 20e-6 + 2e-3 + 0.6e-3, 1e-15);
  EXPECT_EQ(row.p90_error, 0.05);
  EXPECT_EQ(row.largest, 1000000);
  EXPECT_EQ(row.smallest_ratio, 0);  // not stated
  EXPECT_EQ(row.largest_ratio, 1);
}

TEST(KernelCostsFile, MayTellTheRatiosThatWereMeasured) {
  const tests::ScratchFolder scratch;
  std::string told = file;
  told.replace(told.find("median_error"), 0, "smallest_ratio: 0.001, largest_ratio: 10 %, ");
  const auto costs = inputs::read_kernel_costs(scratch.write("k.yaml", told));
  ASSERT_TRUE(costs) << costs.error().text();
  EXPECT_EQ(costs->rows.front().smallest_ratio, 0.001);
  EXPECT_EQ(costs->rows.front().largest_ratio, 0.1);
}

TEST(KernelCostsFile, MayTellWhatRestoringAMessageTakes) {
  const tests::ScratchFolder scratch;
  std::string told = file;
  told.insert(told.rfind('}'),
              ", restore: [{ratio: 1 %, fixed: 2 us, per_million_values: 40 us}, {ratio: 0.1, fixed: 2 us, "
              "per_million_values: 90 us}], restore_p90_error: 3 %");
  const auto costs = inputs::read_kernel_costs(scratch.write("k.yaml", told));
  ASSERT_TRUE(costs) << costs.error().text();
  const netmodels::MeasuredKernel& row = costs->rows.front();
  ASSERT_EQ(row.restoring.size(), 2U);
  EXPECT_EQ(row.restoring[1].ratio, 0.1);
  EXPECT_NEAR(row.restoring[0].time(1e6).count, 42e-6, 1e-15);
  EXPECT_EQ(row.restoring_p90_error, 0.03);
  EXPECT_TRUE(inputs::read_kernel_costs(scratch.write("k.yaml", file))->rows.front().restoring.empty());
}

TEST(KernelCostsFile, IsSoughtBesideTheScenario) {
  const tests::ScratchFolder scratch;
  scratch.write("k.yaml", file);
  const auto reading =
      read(scratch, least + "compression: {method: topk, ratio: 1 %, kernel_times: k.yaml}\n");
  ASSERT_TRUE(reading) << reading.error().text();
  EXPECT_EQ(reading->study.arms.front().exchange.compression.kernels.device, "a device");
}

TEST(KernelCostsFile, MayTellOfOneMethodWithinACacheAndBeyond) {
  const tests::ScratchFolder scratch;
  const auto costs = inputs::read_kernel_costs(scratch.write(
      "k.yaml", file + "  - {method: topk, fixed: 9 us, per_million_values: 3 ms, per_million_kept: 30 ms, "
                       "smallest: 1000001, "
                       "largest: 9000000, median_error: 2 %, p90_error: 5 %, worst_error: 9 %}\n"));
  ASSERT_TRUE(costs) << costs.error().text();
  EXPECT_EQ(netmodels::find_measured_kernel(costs->rows, "topk", 1'000'000), &costs->rows[0]);
  EXPECT_EQ(netmodels::find_measured_kernel(costs->rows, "topk", 2'000'000), &costs->rows[1]);
}

/// The error's text from the line on, of the file with `row` after its first one.
std::string kernel_times_error(const std::string& row) {
  const tests::ScratchFolder scratch;
  const auto costs = inputs::read_kernel_costs(scratch.write("k.yaml", file + "  - {" + row + "}\n"));
  if (costs) return "accepted";
  const std::string text = costs.error().text();
  return text.substr(text.find("k.yaml"));
}

TEST(KernelCostsFile, RefusesWhatIsOutOfRangeWithItsPlace) {
  const std::string errors = ", median_error: 2 %, p90_error: 5 %, worst_error: 9 %";
  const std::string times = ", fixed: 1 us, per_million_values: 1 ms, per_million_kept: 1 ms";
  const std::string sizes = ", smallest: 10, largest: 1000";
  EXPECT_EQ(kernel_times_error("method: qsgd" + times + sizes + errors), "accepted");
  EXPECT_EQ(kernel_times_error("method: multilevel" + times + sizes + errors), "accepted");
  EXPECT_EQ(kernel_times_error("method: topp" + times + sizes + errors),
            "k.yaml:4:5: `kernels[1]`, topp: unknown compressor; `sim list compressors` lists them");
  EXPECT_EQ(kernel_times_error("method: topk" + times + sizes + errors),
            "k.yaml:4:5: `kernels[1]`, topk: sizes overlap with `kernels[0]`; leave out one of the "
            "two, or make their sizes disjoint");
  EXPECT_EQ(kernel_times_error("method: qsgd" + times + ", smallest: 100, largest: 10" + errors),
            "k.yaml:4:5: `kernels[1]`, qsgd: `smallest` is above `largest`; write the sizes that were "
            "measured");
  EXPECT_EQ(
      kernel_times_error("method: qsgd" + times + sizes + ", smallest_ratio: 0.1, largest_ratio: 0.01" +
                         errors),
      "k.yaml:4:5: `kernels[1]`, qsgd: `smallest_ratio` is above `largest_ratio`; write the ratios that "
      "were measured");
  EXPECT_EQ(
      kernel_times_error("method: qsgd, fixed: 0 s, per_million_values: 0 s, per_million_kept: 0 s" + sizes +
                         errors),
      "k.yaml:4:5: `kernels[1]`, qsgd: all its times are zero; measure it by `calibrate probe kernels`");
  EXPECT_THAT(
      kernel_times_error("method: qsgd, fixed: -1 us, per_million_values: 0 s, per_million_kept: 0 s" +
                         sizes + errors),
      ::testing::StartsWith("k.yaml:4:27: `kernels[1].fixed`: `-1 us` is negative"));
  EXPECT_THAT(kernel_times_error("method: qsgd" + times + ", smallest: 0, largest: 10" + errors),
              ::testing::HasSubstr("`kernels[1].smallest`"));
}

TEST(KernelCostsFile, RefusesTimesOfRestoringThatNobodyMeasured) {
  const std::string row =
      "method: qsgd, fixed: 1 us, per_million_values: 1 ms, per_million_kept: 1 ms, smallest: 10, largest: "
      "1000, median_error: 2 %, p90_error: 5 %, worst_error: 9 %";
  const std::string at_one = "{ratio: 1, fixed: 1 us, per_million_values: 1 us}";
  EXPECT_EQ(kernel_times_error(row + ", restore: [" + at_one + "]"), "accepted");
  EXPECT_EQ(kernel_times_error(row + ", restore: [" + at_one + ", " + at_one + "]"),
            "k.yaml:4:5: `kernels[1]`, qsgd: the ratios of `restore` do not increase; list them in "
            "increasing order, each once");
  EXPECT_EQ(
      kernel_times_error(row + ", restore: [{ratio: 1, fixed: 0 s, per_million_values: 0 s}]"),
      "k.yaml:4:5: `kernels[1]`, qsgd: a time of `restore` is zero; measure it by `calibrate probe kernels`");
  EXPECT_EQ(
      kernel_times_error(row + ", restore_worst_error: 3 %"),
      "k.yaml:4:5: `kernels[1]`, qsgd: errors of `restore` are given without `restore`; write `restore`, "
      "or leave out its errors");
}

TEST(KernelCostsFile, SaysHowCostsAreMadeOfMeasuredTimes) {
  const tests::ScratchFolder scratch;
  const auto costs =
      inputs::read_kernel_costs(scratch.write("t.csv", "# device=d\ncompressor,elements\ntopk,1000\n"));
  ASSERT_FALSE(costs);
  EXPECT_THAT(
      costs.error().text(),
      ::testing::EndsWith("t.csv: the file has no costs of compressors; if the file has the times that "
                          "`calibrate probe kernels` measured, fit them: `calibrate fit kernels t.csv -o "
                          "COSTS.yaml`"));
}

TEST(KernelCostsFile, RefusesAnUnknownKey) {
  const tests::ScratchFolder scratch;
  const auto costs = inputs::read_kernel_costs(scratch.write("k.yaml", file + "kernel: []\n"));
  ASSERT_FALSE(costs);
  EXPECT_THAT(costs.error().text(), ::testing::HasSubstr("kernel"));
  EXPECT_THAT(refusal(least + "compression: {method: topk, ratio: 1 %, kernel_times: none.yaml}\n"),
              ::testing::HasSubstr("none.yaml"));
}

}  // namespace
}  // namespace sim::scenario
