// What no step may do: send fewer bytes as micro-batches become more, or end later as exchanges overlap.
#include <array>
#include <cmath>
#include <random>
#include <string>
#include <string_view>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/engine/clusters.hpp"
#include "tests/scenario/scenario_text.hpp"

namespace sim::engine {
namespace {

/// Nodes with links between 1 and 100 Gbit/s, 10 us and 10 ms, and NVLink inside.
std::string random_cluster(std::mt19937_64& random) {
  const auto power = [&](double from, double to) {
    return std::pow(10, std::uniform_real_distribution<>(from, to)(random));
  };
  const int nodes = std::uniform_int_distribution<>(2, 6)(random);
  const int per_node = std::uniform_int_distribution<>(2, 4)(random);
  return fmt::format(
      "cluster: {{workers: {}, workers_per_node: {}, link: {{latency: {:.3f} us, bandwidth: {:.3f} "
      "Gbit/s}}, inner_link: {{latency: 3 us, bandwidth: 50 GB/s}}}}\n",
      nodes * per_node, per_node, power(1, 4), power(0, 2));
}

StepRecord last_step(const std::string& text) { return steps_of(scenario::first_arm(text)).back(); }

constexpr std::string_view transformer =
    "# A step.\nworkload: {name: small, provenance: made up, transformer: {layers: 4, hidden: 256, heads: 4, "
    "sequence: 128, vocabulary: 1000}, device: a100_sxm4_80gb_datasheet, precision: bf16, mfu: 40 %, batch: "
    "1}\n"
    "training: {batch: 8, steps: 2, samples: 100000, accumulation: ";

TEST(StepProperties, BytesGrowWithMicroBatches) {
  std::mt19937_64 random(1);
  constexpr std::array ways{
      "",
      "parallelism: {data: zero2}\n",
      "parallelism: {data: fsdp}\n",
      "parallelism: {data: fsdp, reshard_after_forward: false}\n",
      "parallelism: {data: fsdp, accumulate: whole}\n",
      "parallelism: {data: hsdp, accumulate: node_shards}\n",
      "parallelism: {data: hsdp}\n",
      "parallelism: {data: zero++}\n",
  };
  for (int draw = 0; draw < 4; ++draw) {
    const std::string cluster = random_cluster(random);
    for (const std::string_view way : ways) {
      double before = 0;
      for (const int accumulation : {1, 2, 4, 8}) {
        const std::string text = fmt::format("{}{}}}\n{}{}", transformer, accumulation, cluster, way);
        const StepRecord step = last_step(text);
        ASSERT_TRUE(step.sent.has_value());
        EXPECT_GE(step.sent->count, before * (1 - 1e-12)) << text;
        before = step.sent->count;
      }
    }
  }
}

TEST(StepProperties, OverlapThatSlowsNothingDownIsNotSlower) {
  std::mt19937_64 random(2);
  for (int draw = 0; draw < 15; ++draw) {
    const std::string cluster = random_cluster(random);
    const int bucket = std::uniform_int_distribution<>(1, 200)(random);
    std::array<double, 2> durations{};
    for (const bool overlap : {false, true}) {
      const std::string text = fmt::format(
          "# A step.\nworkload: resnet50_v100\ntraining: {{batch: 32, steps: 2}}\n{}exchange: {{overlap: {}, "
          "overlap_slowdown: 0, first_bucket: 1 MiB, bucket: {} MiB, execution: ddp_overlap}}\n",
          cluster, overlap, bucket);
      durations[overlap ? 1 : 0] = last_step(text).duration.count;
    }
    EXPECT_LE(durations[1], durations[0] * (1 + 1e-12)) << cluster << bucket;
  }
}

}  // namespace
}  // namespace sim::engine
