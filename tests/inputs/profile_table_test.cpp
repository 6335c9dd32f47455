// Measured figures: the shipped tables, empty cells, and what is refused.
#include <gtest/gtest.h>

#include "sim/inputs/input_files.hpp"
#include "tests/scratch_folder.hpp"
#include "tests/source_tree.hpp"

namespace sim::scenario {
namespace {

const std::string profile_header = "job,workers,batch,epochs,noise,step_s,sync_s,time_h,cost_usd\n";

std::string profile_error(const std::string& rows) {
  const tests::ScratchFolder scratch;
  const auto read = inputs::read_profile_table(scratch.write("t.csv", profile_header + rows));
  return read ? "accepted" : read.error().text().substr(scratch.path().string().size() + 1);
}

TEST(ProfileTable, HoldsTheFiguresOfScavenger) {
  const auto rows =
      inputs::read_profile_table(tests::source_dir() + "/scenarios/papers/data/scavenger_fig10.csv");
  ASSERT_TRUE(rows) << rows.error().text();
  EXPECT_EQ(rows->size(), 36U);
  const inputs::ProfileRow& first = rows->front();
  EXPECT_EQ(first.job, "resnet18");
  EXPECT_EQ(first.configuration, (policies::Configuration{8, 384}));
  EXPECT_EQ(first.epochs, 230.4);
  EXPECT_EQ(first.time, netmodels::Seconds{12.40 * 3600});
  EXPECT_FALSE(first.step);
}

// T K p, with the published price, gives the published cost to its digits: the two axes of Fig. 10 agree.
TEST(ProfileTable, TimesAndCostsOfScavengerAgree) {
  const auto rows =
      inputs::read_profile_table(tests::source_dir() + "/scenarios/papers/data/scavenger_fig10.csv");
  for (const inputs::ProfileRow& row : *rows)
    EXPECT_NEAR(row.time->count / 3600 * row.configuration.workers * 0.13402 / row.cost->count, 1, 0.006);
}

TEST(ProfileTable, RefusesRowsThatSayTooLittleOrTooMuch) {
  EXPECT_EQ(profile_error("a,2,8,1,,,,,\n"),
            "t.csv:2:10: neither `step_s` nor `time_h` is given; at least one of them");
  EXPECT_EQ(profile_error("a,2,8,,,,,3,\n"),
            "t.csv:2:7: step time cannot be derived from `time_h` without `epochs`; give `epochs` or "
            "`step_s`");
  EXPECT_EQ(profile_error("a,2,8,1,,1,1,,\n"),
            "t.csv:2:12: `sync_s` is not below `step_s`; less than `step_s`");
  EXPECT_EQ(profile_error("a,2,8,1,1.1,1,,,\n"),
            "t.csv:2:9: column `noise` is above 1; gamma / K, at most 1");
  EXPECT_EQ(profile_error("a,0,8,1,,1,,,\n"), "t.csv:2:3: column `workers` is 0; 1 to 1000000000");
  EXPECT_EQ(profile_error("a,2,8,0,,1,,,\n"),
            "t.csv:2:7: column `epochs` is 0; write a number above 0, or leave the cell empty where it was "
            "not measured");
  EXPECT_EQ(profile_error("a,2,8,1,,1,,,\na,2,8,1,,2,,,\n"), "t.csv:3:1: duplicate configuration of `a`");
}

}  // namespace
}  // namespace sim::scenario
