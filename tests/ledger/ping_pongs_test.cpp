// Predictions of ping-pongs at another line rate.
#include <gtest/gtest.h>

#include "calibrate/ledger/rules.hpp"
#include "tests/ledger/live_table.hpp"

namespace calibrate::ledger {

// Other line rates: a table that follows the forms is predicted to its last digit, and formless rows are left
// out.

namespace {

TEST(OtherBandwidth, TableThatFollowsTheFormsIsPredicted) {
  const auto predictions = predict_other_bandwidth({{live_table()}, {live_table()}});
  ASSERT_TRUE(predictions) << predictions.error().text();
  EXPECT_EQ(predictions->size(), 4);  // the chain, two rings, the all-gather
  for (const Prediction& each : *predictions) EXPECT_NEAR(each.error(), 0, 2e-3) << each.table << each.what;
}

TEST(OtherBandwidth, TheRestHasTheTreesAlone) {
  const auto predictions = predict_other_bandwidth_rest({{live_table()}, {live_table()}});
  ASSERT_EQ(predictions->size(), 2);
  EXPECT_EQ(predictions->back().table, "live.csv: ompi bcast binomial");
  EXPECT_EQ(predictions->back().what, "1000000 B on 4 ranks, 160 Mbit/s, delay 0 s");
}

TEST(OtherBandwidth, NcclsChainAndSparseExchangesArePredicted) {
  SourceText table = live_table();
  EXPECT_EQ(predict_nccl_other_bandwidth({{table}, {table}})->size(), 0);  // of another library
  for (std::size_t at = table.text.find("ompi"); at != std::string::npos; at = table.text.find("ompi"))
    table.text.replace(at, 4, "nccl");
  table.text +=
      "nccl,bcast,nccl_chain,4,160,0,1048576,105257.6\n"  // 4 (100 us + 26.2144 ms)
      "nccl,topk_allgather,ring,4,160,0,500000,153950\n"  // twice 76975 us
      "nccl,artopk,ring,4,160,0,500000,115924\n";         // 3 (100 us + 25 ms / 0.978) + 38937 us
  const auto predictions = predict_nccl_other_bandwidth({{table}, {table}});
  ASSERT_TRUE(predictions) << predictions.error().text();
  ASSERT_EQ(predictions->size(), 9);
  for (const Prediction& each : *predictions) EXPECT_NEAR(each.error(), 0, 2e-3) << each.table << each.what;
}

TEST(OtherBandwidth, ExchangesThatCompressTakeWhatTheyComputeAtAnotherRate) {
  SourceText table = live_table();
  for (std::size_t at = table.text.find("ompi"); at != std::string::npos; at = table.text.find("ompi"))
    table.text.replace(at, 4, "nccl");
  const std::string exchanges =
      "nccl,topk_exchange,ring,4,160,0,500000,160950\n"     // twice 76975 us, and 7 ms
      "nccl,artopk_exchange,ring,4,160,0,500000,121424\n";  // 115924 us, 4 ms and 1.5 ms
  const std::string parts =
      "nccl,topk_local,compute,4,80,0,500000,7000\nnccl,artopk_select,compute,4,80,0,500000,4000\n"
      "nccl,artopk_apply,compute,4,80,0,500000,1500\nnccl,topk_local,compute,4,160,0,500000,900000\n";
  const SourceText without{"live.csv", table.text + exchanges};
  EXPECT_EQ(predict_nccl_other_bandwidth({{without}, {without}})->size(), 6);  // parts are not taken as 0
  const SourceText with{"live.csv", table.text + exchanges + parts};
  const auto predictions = predict_nccl_other_bandwidth({{with}, {with}});
  ASSERT_TRUE(predictions) << predictions.error().text();
  ASSERT_EQ(predictions->size(), 8);
  for (const Prediction& each : *predictions) EXPECT_NEAR(each.error(), 0, 2e-3) << each.table << each.what;
}

}  // namespace

// The choice of an exchange: quotients by hand, and close calls separated from clear ones.

namespace {

TEST(ExchangeChoice, QuotientsAreAsByHand) {
  const auto predictions = predict_exchange_choice({{live_table()}, {live_table()}});
  ASSERT_TRUE(predictions) << predictions.error().text();
  ASSERT_EQ(predictions->size(), 2);  // AR-Topk is the other one
  const Prediction& choice = predictions->front();
  EXPECT_EQ(choice.table, "top-k all-gather against dense");
  EXPECT_NEAR(choice.measured, 76975.0 / 77275, 1e-9);
  EXPECT_NEAR(choice.predicted, choice.measured, 2e-3);
  EXPECT_TRUE(choice.on_right_side());
}

TEST(ExchangeChoice, CloseCallsLieWithinAFactorOfTwo) {
  EXPECT_EQ(predict_close_exchange_choice({{live_table()}, {live_table()}})->size(), 2);
  SourceText table = live_table();
  table.text.replace(table.text.find("76975"), 5, "9000");
  EXPECT_EQ(predict_close_exchange_choice({{table}, {table}})->size(), 1);
}

TEST(GatherChoice, QuotientIsThatOfAllGatherAndBothPartsOfArTopk) {
  const auto predictions = predict_gather_choice({{live_table()}, {live_table()}});
  ASSERT_TRUE(predictions) << predictions.error().text();
  ASSERT_EQ(predictions->size(), 1);  // no all-gather of 1 MB was measured
  const Prediction& choice = predictions->front();
  EXPECT_EQ(choice.table, "all-gather by ring against AR-Topk");
  EXPECT_NEAR(choice.measured, 76975.0 / (75200 + 38937), 1e-9);
  EXPECT_NEAR(choice.predicted, choice.measured, 2e-3);
}

}  // namespace
}  // namespace calibrate::ledger
