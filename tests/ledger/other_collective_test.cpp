// Other collectives from all-reduce: as many bytes on the links take as long.
#include <gtest/gtest.h>

#include "calibrate/ledger/rules.hpp"
#include "tests/ledger/evidence.hpp"

namespace calibrate::ledger {
namespace {

TEST(OtherCollective, AllGatherTakesWhatAnAllReduceOfHalfTheSizeTakes) {
  const auto predictions = predict_other_collective({{line_table("ar.csv", "all_reduce", 8, 1e-4, 2e-9)},
                                                     {line_table("ag.csv", "all_gather", 8, 1e-4, 1e-9)}});
  ASSERT_TRUE(predictions) << predictions.error().text();
  for (const Prediction& each : *predictions) EXPECT_NEAR(each.error(), 0, 1e-4) << each.what;
}

TEST(OtherCollective, BroadcastOnTwoRanksPutsAsManyBytesOnTheLink) {
  const auto predictions = predict_other_collective(
      {{line_table("ar.csv", "all_reduce", 2, 0, 1e-9)}, {line_table("b.csv", "broadcast", 2, 0, 2e-9)}});
  ASSERT_TRUE(predictions) << predictions.error().text();
  for (const Prediction& each : *predictions) EXPECT_NEAR(each.error(), -0.5, 1e-4) << each.what;
}

TEST(OtherCollective, ItsSourcesMustBeAllReducesOnAsManyRanks) {
  const SourceText gather = line_table("ag.csv", "all_gather", 8, 0, 1e-9);
  EXPECT_EQ(predict_other_collective({{gather}, {gather}}).error().text(),
            "ag.csv: this is all_gather; the rule other_collective sees an all_reduce");
  EXPECT_EQ(
      predict_other_collective({{line_table("ar.csv", "all_reduce", 4, 0, 1e-9)}, {gather}}).error().text(),
      "ag.csv: no all_reduce on 8 ranks is seen; name one under `seen`");
}

}  // namespace
}  // namespace calibrate::ledger
