// AdaptDL's placements: nodes and replicas of a row by hand, and refusals with their places.
#include "calibrate/imports/adaptdl_placements.hpp"

#include <gtest/gtest.h>

namespace calibrate::imports {
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
  EXPECT_EQ(
      read_adaptdl_placements("placement,local_bsz,step_time\n10,32,0.5\n", "p.csv").error().text(),
      "p.csv:2:1: `10` in column `placement` is no placement; a digit from 1 to 9 for the GPUs of each node");
  EXPECT_EQ(
      read_adaptdl_placements("placement,local_bsz,step_time\n1,32,0\n", "p.csv").error().text(),
      "p.csv:2:6: `0` in column `step_time` is no such figure; accepted: a finite number, 1e-09 or above");
}

}  // namespace
}  // namespace calibrate::imports
