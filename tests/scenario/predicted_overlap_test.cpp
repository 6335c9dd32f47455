// The default of `exchange.overlap_slowdown` where nothing was measured: by NCCL's channels.
#include <string>

#include <gtest/gtest.h>

#include "netmodels/overlap.hpp"
#include "sim/scenario/measured_defaults.hpp"
#include "sim/scenario/scenario.hpp"
#include "tests/scenario/scenario_text.hpp"

namespace sim::scenario {
namespace {

const std::string dgx_1 = "use: nvidia_dgx_1, workers: 16";

Exchange exchange_of(const std::string& workload, const std::string& cluster, const std::string& more = "") {
  return first_arm("# Question?\nworkload: " + workload + "\ncluster: {" + cluster +
                   "}\ntraining: {batch: 32, steps: 10}\n" + more)
      .exchange;
}

// Eight rings of 4 interfaces of 100 Gbit/s, doubled.
TEST(PredictedOverlap, IsTheShareOfMultiprocessorsThatChannelsLeave) {
  const Exchange found = exchange_of("resnet50_v100", dgx_1);
  EXPECT_EQ(found.overlap_slowdown_origin,
            "predicted: NCCL's kernels hold 8 of 80 multiprocessors; published: 18.9 % of whole steps in the "
            "mean, 40 % at most");
  EXPECT_DOUBLE_EQ(found.overlap_slowdown, netmodels::overlap_slowdown(80, 8));
}

TEST(PredictedOverlap, IsNotTakenWhereAShareIsStatedOrNothingOverlaps) {
  for (const char* more : {"exchange: {overlap_slowdown: 0}\n", "exchange: {overlap: false}\n",
                           "exchange: {library: none}\n", "synchronisation: {method: periodic, every: 4}\n"})
    EXPECT_EQ(exchange_of("resnet50_v100", dgx_1, more).overlap_slowdown, 0) << more;
}

// Shares of a peak are of whole training runs, and a library on a plain link is not known.
TEST(PredictedOverlap, NeedsTimesOfComputingAloneAndNcclOnDescribedHardware) {
  EXPECT_EQ(exchange_of("{model: gpt2_small, device: v100_sxm2_datasheet, precision: fp16, mfu: 30 %}", dgx_1)
                .overlap_slowdown,
            0);
  const std::string link = "workers: 16, link: {latency: 1 ms, bandwidth: 10 Gbit/s}";
  EXPECT_EQ(exchange_of("resnet50_v100", link).overlap_slowdown, 0);
}

TEST(PredictedOverlap, ADeviceWithoutACountOfMultiprocessorsHasNone) {
  Scenario scenario = first_arm("# Question?\nworkload: resnet50_v100\ncluster: {" + dgx_1 +
                                "}\ntraining: {batch: 32, steps: 10}\n");
  EXPECT_GT(default_overlap_slowdown(scenario.work, scenario.cluster, scenario.exchange).share, 0);
  scenario.work.device->multiprocessors.reset();
  EXPECT_EQ(default_overlap_slowdown(scenario.work, scenario.cluster, scenario.exchange).share, 0);
  EXPECT_EQ(default_overlap_slowdown(scenario.work, scenario.cluster, scenario.exchange).origin, "");
}

}  // namespace
}  // namespace sim::scenario
