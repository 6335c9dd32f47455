// Options of other programs, as settings of a scenario.
#include "sim/scenario/setting_of_option.hpp"

#include <gtest/gtest.h>

namespace sim::scenario {
namespace {

TEST(SettingOfOption, IsTheKeyOfANameOfOthers) {
  EXPECT_EQ(setting_of_option("max-steps", "10"), "`--set training.steps=10`");
  EXPECT_EQ(setting_of_option("network_bandwidth", "10 Gbit/s"),
            "`--set 'cluster.link.bandwidth=10 Gbit/s'`");
}

TEST(SettingOfOption, SaysHowTheValueFollowsWhereItIsOpen) {
  EXPECT_EQ(setting_of_option("nnodes", "4"), "`--set cluster.workers=VALUE` (nodes times the GPUs of each)");
  EXPECT_EQ(setting_of_option("max-steps", ""), "`--set training.steps=VALUE`");
}

TEST(SettingOfOption, IsTheOnlyKeyOfTheName) {
  EXPECT_EQ(setting_of_option("workers-per-node", "8"), "`--set cluster.workers_per_node=8`");
  EXPECT_EQ(setting_of_option("objective", "cost"), "`--set objective=cost`");
}

TEST(SettingOfOption, IsNoneWhereNoKeyOrSeveralHaveTheName) {
  EXPECT_EQ(setting_of_option("colour", "red"), "");
  EXPECT_EQ(setting_of_option("bandwidth", "1 Gbit/s"), "");
}

}  // namespace
}  // namespace sim::scenario
