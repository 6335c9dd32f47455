// AdaptDL's files, as published and broken.
#include "calibrate/imports/adaptdl.hpp"

#include <gtest/gtest.h>

namespace calibrate::imports {

// Validation files of AdaptDL: what is read, the noise scale's normalisation, and each refusal.

namespace {

const std::string adaptdl_header = "progress,iteration,metric,grad_sqr,grad_var\n";

std::string adaptdl_error(const std::string& text, const std::string& source = "validation-64.csv") {
  const auto run = import_adaptdl(text, source);
  EXPECT_FALSE(run.has_value()) << text;
  return run ? "" : run.error().text();
}

AdaptdlRun run_of(const std::string& rows, const std::string& source) {
  const auto run = import_adaptdl(adaptdl_header + rows, source);
  EXPECT_TRUE(run.has_value()) << run.error().text();
  return *run;
}

TEST(ImportAdaptdl, BatchIsInTheName) {
  EXPECT_EQ(run_of("1,0,0.5,1,1\n", "some/validation-1024.csv").batch, 1024);
  EXPECT_EQ(adaptdl_error(adaptdl_header, "validation.csv"),
            "validation.csv: the file name does not end in a batch; name it as in `validation-1024.csv`");
}

TEST(ImportAdaptdl, NoiseScaleRefersToTheInitialBatch) {
  const std::vector runs{run_of("391,390,0.5,2,3\n", "validation-128.csv"),
                         run_of("391.09,172,0.4,2,3\n", "validation-1024.csv")};
  EXPECT_EQ(initial_batch(runs), 128);
  const auto training = training_of(runs[1], 128, 1);
  ASSERT_TRUE(training.has_value());
  EXPECT_EQ(training->batch, 1024);
  EXPECT_EQ(training->rows[0].step, 173);
  EXPECT_EQ(training->rows[0].noise_scale, 128.0 * 3 / 2);
  EXPECT_EQ(training->rows[0].squared_norm, 2);
}

TEST(ImportAdaptdl, NoiseScaleIsUnknownWithoutTheInitialBatch) {
  const std::vector runs{run_of("391.09,172,0.4,2,3\n", "validation-1024.csv")};
  EXPECT_FALSE(initial_batch(runs).has_value());
  EXPECT_FALSE(training_of(runs[0], std::nullopt, 1)->rows[0].noise_scale.has_value());
}

TEST(ImportAdaptdl, EstimatesOfZeroOrBelowAreNotMeasurements) {
  const auto run = run_of("1,0,0.5,-1,1\n2,1,0.5,1,0\n", "validation-8.csv");
  const auto training = training_of(run, 8, 1);
  for (const fits::TrainingRow& row : training->rows) {
    EXPECT_FALSE(row.noise_scale.has_value());
    EXPECT_FALSE(row.squared_norm.has_value());
  }
}

TEST(ImportAdaptdl, MetricInPercentIsAShareInItsUnit) {
  const auto run = run_of("1,0,88.5,1,1\n", "validation-8.csv");
  EXPECT_DOUBLE_EQ(*training_of(run, 8, 0.01)->rows[0].metric, 0.885);
  EXPECT_EQ(training_of(run, 8, 1).error().text(),
            "validation-8.csv: the metric 88.5 is not a share; accepted: 0 to 1, or 0 to 100 with --percent");
}

TEST(ImportAdaptdl, WrongTablesAreRefusedWithTheirPlace) {
  EXPECT_EQ(adaptdl_error("a,b\n"),
            "validation-64.csv:1:1: this is not the header of a validation file; it is "
            "progress,iteration,metric,grad_sqr,grad_var");
  EXPECT_EQ(adaptdl_error(adaptdl_header),
            "validation-64.csv: no rows found; give a training's validation file");
  EXPECT_EQ(adaptdl_error(adaptdl_header + "1,2,3\n"),
            "validation-64.csv:2:1: expected five cells; a row is "
            "progress,iteration,metric,grad_sqr,grad_var");
  EXPECT_EQ(adaptdl_error(adaptdl_header + "1,0,0.5,1,1,1\n"),
            "validation-64.csv:2:1: expected five cells; a row is "
            "progress,iteration,metric,grad_sqr,grad_var");
  EXPECT_EQ(adaptdl_error(adaptdl_header + "1,0,nan,1,1\n"),
            "validation-64.csv:2:5: `nan` is not a number; accepted: a finite number");
  EXPECT_EQ(adaptdl_error(adaptdl_header + "1,3,0.5,1,1\n\n2,3,0.5,1,1\n"),
            "validation-64.csv:4:1: iteration 3 does not increase; write the rows in their order");
}

}  // namespace

// AdaptDL's placements: nodes and replicas of a row by hand, and errors with their places.

namespace {

TEST(AdaptdlPlacements, DigitsAreTheReplicasOfEachNode) {
  const auto steps =
      read_adaptdl_placements("placement,local_bsz,step_time,sync_time\n1144,32,0.5,0.1\n", "p.csv");
  ASSERT_TRUE(steps) << steps.error().text();
  EXPECT_EQ(steps->front().step.placement.nodes, 4);
  EXPECT_EQ(steps->front().step.placement.replicas, 10);
  EXPECT_EQ(steps->front().step.placement.local_batch, 32);
  EXPECT_EQ(steps->front().step.time.count, 0.5);
}

TEST(AdaptdlPlacements, NodesMayBeCounted) {
  const auto steps =
      read_adaptdl_placements("num_nodes,num_replicas,local_bsz,step_time\n16,64,8,1.5\n", "s.csv");
  ASSERT_TRUE(steps) << steps.error().text();
  EXPECT_EQ(steps->front().placement, "16 x 64");
  EXPECT_EQ(steps->front().step.placement.replicas, 64);
}

TEST(AdaptdlPlacements, DamageIsRefusedWithItsPlace) {
  EXPECT_EQ(read_adaptdl_placements("placement,local_bsz,step_time\n10,32,0.5\n", "p.csv").error().text(),
            "p.csv:2:1: `10` in column `placement` is not a placement; a digit from 1 to 9 for the GPUs of "
            "each node");
  EXPECT_EQ(
      read_adaptdl_placements("placement,local_bsz,step_time\n1,32,0\n", "p.csv").error().text(),
      "p.csv:2:6: `0` in column `step_time` is out of range; accepted: a finite number, 1e-09 or above");
}

}  // namespace
}  // namespace calibrate::imports
