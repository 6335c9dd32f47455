// Published runs of Megatron-DeepSpeed on A100 in tensor and pipeline degrees: times of steps.
#include <algorithm>
#include <cmath>
#include <iostream>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "sim/scenario/scenario.hpp"
#include "tests/netmodels/published_csv.hpp"
#include "tests/scenario/scenario_text.hpp"

namespace sim::scenario {
namespace {

using netmodels::tests::llm_data;
using netmodels::tests::published_number;
using netmodels::tests::published_rows;
using netmodels::tests::PublishedRow;

/// Runs whose shape is known, with stages of equal size.
bool is_played(const PublishedRow& row) {
  if (!row.at("source").starts_with("BLOOM")) return false;
  for (const char* column : {"layers", "hidden", "accumulation", "micro_batch", "tp", "pp"}) {
    if (!published_number(row, column)) return false;
  }
  return std::lround(*published_number(row, "layers")) % std::lround(*published_number(row, "pp")) == 0;
}

/// Megatron-LM of 2022: no sequence parallelism, full recomputation. 64 heads where they are not stated; the
/// utilisation is one figure for all runs.
Scenario played(const PublishedRow& row) {
  const auto count = [&](const char* column) { return std::lround(*published_number(row, column)); };
  const long batch = count("micro_batch") * count("accumulation");
  const tests::ScratchFolder scratch;
  const auto reading = read(
      scratch,
      fmt::format(
          "# Question?\n"
          "workload: {{transformer: {{layers: {}, hidden: {}, heads: 64, sequence: 2048, vocabulary: "
          "51200, tied: true}}, device: a100_sxm4_80gb_datasheet, mfu: 40 %, recomputation: full, "
          "batch: {}}}\n"
          "cluster: {{workers: {}, workers_per_node: 8, link: {{latency: 5 us, bandwidth: 400 Gbit/s}}, "
          "inner_link: {{latency: 2 us, bandwidth: 240 GB/s}}}}\n"
          "training: {{batch: {}, accumulation: {}, steps: 1}}\n"
          "parallelism: {{data: zero1, tensor: {}, pipeline: {}{}}}\n",
          count("layers"), count("hidden"), count("micro_batch"), count("gpus"), batch, count("accumulation"),
          count("tp"), count("pp"), count("tp") > 1 ? ", sequence_parallel: false" : ""));
  EXPECT_TRUE(reading) << reading.error().text();
  return reading ? reading->study.arms.front() : Scenario{};
}

double middle(std::vector<double> values) {
  std::ranges::sort(values);
  return values.at(values.size() / 2);
}

double ninth_tenth(std::vector<double> values) {
  std::ranges::sort(values);
  return values.at(values.size() * 9 / 10);
}

TEST(ReplicasPublished, StepsOfAllDegreesFollowFromOneUtilisation) {
  const auto rows = published_rows(llm_data / "throughput.csv");
  std::vector<double> ratios;
  for (const PublishedRow& row : rows) {
    if (!is_played(row)) continue;
    const Scenario scenario = played(row);
    ratios.push_back(scenario.work.workload.compute(scenario.work.training.batch).count /
                     *published_number(row, "value"));
  }
  ASSERT_GE(ratios.size(), 60U);
  const double scale = middle(ratios);  // the one figure that is fitted
  std::vector<double> errors;
  for (const double ratio : ratios) errors.push_back(std::abs(ratio / scale - 1));
  std::cout << fmt::format("{} runs: median {:.1f} %, p90 {:.1f} %, utilisation {:.1f} %\n", errors.size(),
                           100 * middle(errors), 100 * ninth_tenth(errors), 40 * scale);
  EXPECT_LT(middle(errors), 0.09);
  EXPECT_LT(ninth_tenth(errors), 0.22);
}

}  // namespace
}  // namespace sim::scenario
