// Options of other programs, as settings of a scenario.
#include "sim/scenario/setting_of_option.hpp"

#include <gtest/gtest.h>

namespace sim::scenario {
namespace {

TEST(SettingOfOption, IsTheKeyOfANameOfOthers) {
  EXPECT_EQ(setting_of_option("max-steps", "10"), "training.steps=10");
  EXPECT_EQ(setting_of_option("world_size", "16"), "cluster.workers=16");
}

TEST(SettingOfOption, LeavesTheValueOpenWhereItFollowsFromMore) {
  EXPECT_EQ(setting_of_option("nodes", "4"), "cluster.workers=VALUE");
  EXPECT_EQ(setting_of_option("batch-size", ""), "training.batch=VALUE");
}

TEST(SettingOfOption, IsTheOnlyKeyOfTheName) {
  EXPECT_EQ(setting_of_option("workers-per-node", "8"), "cluster.workers_per_node=8");
  EXPECT_EQ(setting_of_option("objective", "cost"), "objective=cost");
}

TEST(SettingOfOption, IsNoneWhereNoKeyOrSeveralHaveTheName) {
  EXPECT_EQ(setting_of_option("colour", "red"), "");
  EXPECT_EQ(setting_of_option("bandwidth", "1 Gbit/s"), "");
}

}  // namespace
}  // namespace sim::scenario
