// Workload: totals are the sums of the layers, and time grows linearly with the batch.
#include "netmodels/workload.hpp"

#include <gtest/gtest.h>

namespace netmodels {
namespace {

using namespace literals;

Layer timed_layer(std::int64_t parameters, Seconds forward_fixed, Seconds forward_per_sample,
                  Seconds backward_per_sample) {
  Layer made;
  made.parameters = parameters;
  made.forward = {forward_fixed, forward_per_sample};
  made.backward = {{}, backward_per_sample};
  return made;
}

Workload two_layers() {
  Workload workload;
  workload.layers = {timed_layer(10, 1_ms, 2_ms, 3_ms), timed_layer(32, 0_ms, 5_ms, 7_ms)};
  workload.host_overhead = {4_ms, 1_ms};
  workload.optimizer = 6_ms;
  return workload;
}

TEST(Workload, ParametersAreTheSumOverLayers) { EXPECT_EQ(two_layers().parameters(), 42); }

TEST(Workload,
     TimesMatchTheHandComputedFigures) {  // batch 2: forward 1+4+10, backward 6+14, host 4+2, optimizer 6
  EXPECT_NEAR(two_layers().forward(2).count, 0.015, 1e-15);
  EXPECT_NEAR(two_layers().backward(2).count, 0.020, 1e-15);
  EXPECT_NEAR(two_layers().compute(2).count, 0.047, 1e-15);
}

TEST(Workload, NoLayersLeaveOnlyHostAndOptimizer) {
  Workload workload = two_layers();
  workload.layers.clear();
  EXPECT_EQ(workload.parameters(), 0);
  EXPECT_NEAR(workload.compute(1).count, 0.011, 1e-15);
}

TEST(Workload, AnotherSampleAlwaysCostsTheSame) {
  const Workload workload = two_layers();
  const Seconds step = workload.compute(9) - workload.compute(8);
  for (double batch = 1; batch < 8; ++batch) {
    EXPECT_NEAR((workload.compute(batch + 1) - workload.compute(batch)).count, step.count, 1e-14);
  }
}

// 4 micro-batches of 2 samples: host 4 x 4 + 8, forward 4 x 1 + 56, backward 80, optimizer 6.
TEST(Workload, WhatDoesNotGrowWithTheBatchIsSpentInEachMicroBatchAlsoByTheHost) {
  Workload workload = two_layers();
  workload.accumulate(4);
  EXPECT_NEAR(workload.host_overhead.at(8).count, 0.024, 1e-15);
  EXPECT_NEAR(workload.compute(8).count, 0.170, 1e-15);
}

TEST(TimeOrigin, EachHasTheTextThatOutputsShow) {
  EXPECT_EQ(to_string(TimeOrigin::measured), "measured");
  EXPECT_EQ(to_string(TimeOrigin::total), "total spread over layers");
  EXPECT_EQ(to_string(TimeOrigin::roofline), "roofline");
  EXPECT_EQ(to_string(TimeOrigin::utilisation), "utilisation of the peak");
}

}  // namespace
}  // namespace netmodels
