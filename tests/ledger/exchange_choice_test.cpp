// The choice of an exchange: quotients by hand, and close calls told from clear ones.
#include <gtest/gtest.h>

#include "calibrate/ledger/rules.hpp"
#include "tests/ledger/live_table.hpp"

namespace calibrate::ledger {
namespace {

TEST(ExchangeChoice, QuotientsAreAsByHand) {
  const auto predictions = predict_exchange_choice({{live_table()}, {live_table()}});
  ASSERT_TRUE(predictions) << predictions.error().text();
  ASSERT_EQ(predictions->size(), 1);  // no broadcast of 500 kB was measured
  const Prediction& choice = predictions->front();
  EXPECT_EQ(choice.table, "top-k all-gather against dense");
  EXPECT_NEAR(choice.measured, 76975.0 / 77275, 1e-9);
  EXPECT_NEAR(choice.predicted, choice.measured, 2e-3);
  EXPECT_TRUE(choice.on_right_side());
}

TEST(ExchangeChoice, CloseCallsLieWithinAFactorOfTwo) {
  EXPECT_EQ(predict_close_exchange_choice({{live_table()}, {live_table()}})->size(), 1);
  SourceText table = live_table();
  table.text.replace(table.text.find("76975"), 5, "9000");
  EXPECT_EQ(predict_close_exchange_choice({{table}, {table}})->size(), 0);
}

}  // namespace
}  // namespace calibrate::ledger
