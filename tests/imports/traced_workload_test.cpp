// Tests of the files that an imported workload becomes, and of its time-independent trace.
#include "calibrate/imports/traced_workload.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace calibrate::imports {
namespace {

using netmodels::Seconds;
using testing::HasSubstr;

/// 2 + 3 us of host and optimizer; two buckets.
TracedWorkload example() {
  TracedWorkload workload;
  workload.device = "Device \"9\"";
  workload.layers = {{"conv2d_1", "conv2d", 3000, {10e-6}, {20e-6}},
                     {"linear_1", "linear", 1000, {1e-6}, {4e-6}}};
  workload.buckets = {1000, 3000};
  workload.host_overhead = {2e-6};
  workload.optimizer = {3e-6};
  workload.source = "PyTorch profiler trace x.json\nname: other";
  workload.facts = {"A fact."};
  workload.skipped = {"1 event left out"};
  return workload;
}

TEST(WorkloadFiles, TheWorkloadNamesItsTablesAndWhereItComesFrom) {
  const WorkloadFiles files = print_workload(example(), {"w", "w_layers.csv", "w_times.csv", "", "facts"});
  EXPECT_EQ(
      files.workload,
      "# Times of w: one step of one rank takes 40 us without exposed communication.\n# Provenance: "
      "PyTorch profiler trace x.json name: other\n# Licence: facts\n# A fact.\n# Note: 1 event left "
      "out.\n# To use the buckets of the trace, write `exchange: {first_bucket: 1 B, bucket: 1 B}`: "
      "each layer with parameters is a bucket.\n# From 46 Gbit/s on with 2 ranks (91 Gbit/s with many), less "
      "than 5 % of a step would be exposed communication of dense buckets around a ring without latency: "
      "compression gains no more than that there.\n# Buffers are unknown: the trace has no broadcast of "
      "them; `buffers: SIZE` states them.\n# The trace does not state its batch: 1 sample "
      "represents all samples of a rank and step.\nname: \"w\"\nprovenance: \"PyTorch profiler trace "
      "x.json name: other\"\nlayers: \"w_layers.csv\"\ntimes:\n  measured: \"w_times.csv\"\n  device: "
      "\"Device \\\"9\\\"\"\n  batch: 1\n  optimizer: 3.000 us\n  host_overhead: 2.000 us\n");
  EXPECT_THAT(files.layers, HasSubstr("\nconv2d_1,conv2d,3000,0,0,0\nlinear_1,linear,1000,0,0,0\n"));
  EXPECT_THAT(files.times,
              HasSubstr("\nlayer,forward_us,backward_us\nconv2d_1,10.000,20.000\nlinear_1,1.000,4.000\n"));
}

TEST(WorkloadFiles, BuffersOfTheTraceAreThoseOfTheWorkload) {
  TracedWorkload workload = example();
  workload.buffers = netmodels::Bytes{212904};
  const WorkloadFiles files = print_workload(workload, {"w", "l", "t", "", ""});
  EXPECT_THAT(files.workload, HasSubstr("\nlayers: \"l\"\nbuffers: 212904 B\n"));
  EXPECT_THAT(files.workload, testing::Not(HasSubstr("Buffers are unknown")));
}

/// Buckets of 4 kB after 4 us and 12 kB after 24 us, the end of the backward pass; the step is 40 us, so that
/// 40/19 us may be exposed: with two ranks each byte crosses a link once, 12 kB in 40/19 us.
TEST(HiddenFrom, IsWhereTheLastBucketsTailIsAShareOfTheStep) {
  const double bandwidth = 12e3 / (40e-6 / 19);
  EXPECT_NEAR(hidden_from(example(), 2)->count / bandwidth, 1, 2e-4);
  EXPECT_NEAR(hidden_from(example(), 1'000'000)->count / (2 * bandwidth), 1, 2e-4);
  TracedWorkload alone = example();
  alone.buckets.clear();
  EXPECT_EQ(hidden_from(alone, 2), std::nullopt);
  EXPECT_EQ(crossover_text(alone), "");
}

TEST(WorkloadFiles, BucketsThatPyTorchsLimitsCloseNeedNoWord) {
  TracedWorkload workload = example();
  workload.batch = 32;
  workload.buckets = {2'049'000, 25'000};
  workload.layers[1].parameters = 2'049'000;
  workload.layers[0].parameters = 25'000;
  const WorkloadFiles files = print_workload(workload, {"w", "l", "t", "a paper", ""});
  EXPECT_THAT(files.workload, HasSubstr("# The default bucket limits of a scenario give the buckets"));
  EXPECT_THAT(files.workload, HasSubstr("# Provenance: a paper\n# Licence: not stated\n"));
  EXPECT_THAT(files.workload, HasSubstr("  batch: 32\n"));
}

TEST(SmpiTrace, EveryRankComputesAndReducesInTurn) {
  const std::string text = print_smpi_trace(example(), 2);
  EXPECT_EQ(text,
            "0 init\n0 compute 17000\n0 allreduce 4000 0 6\n0 compute 20000\n0 allreduce 12000 0 6\n0 "
            "compute 3000\n"
            "0 finalize\n"
            "1 init\n1 compute 17000\n1 allreduce 4000 0 6\n1 compute 20000\n1 allreduce 12000 0 6\n1 "
            "compute 3000\n"
            "1 finalize\n");
}

}  // namespace
}  // namespace calibrate::imports
