// Other line rates: a table that follows the forms is predicted to its last digit, and formless rows are left
// out.
#include <gtest/gtest.h>

#include "calibrate/ledger/rules.hpp"
#include "tests/ledger/live_table.hpp"

namespace calibrate::ledger {
namespace {

TEST(OtherBandwidth, TableThatFollowsTheFormsIsPredicted) {
  const auto predictions = predict_other_bandwidth({{live_table()}, {live_table()}});
  ASSERT_TRUE(predictions) << predictions.error().text();
  EXPECT_EQ(predictions->size(), 4);  // the chain, two rings, the all-gather
  for (const Prediction& each : *predictions) EXPECT_NEAR(each.error(), 0, 2e-3) << each.table << each.what;
}

TEST(OtherBandwidth, TheRestHasTheTreesAlone) {
  const auto predictions = predict_other_bandwidth_rest({{live_table()}, {live_table()}});
  ASSERT_EQ(predictions->size(), 1);
  EXPECT_EQ(predictions->front().table, "live.csv: ompi bcast binomial");
  EXPECT_EQ(predictions->front().what, "1000000 B on 4 ranks, 160 Mbit/s, delay 0 s");
}

}  // namespace
}  // namespace calibrate::ledger
