// Every second size: exact on a line, and no size is left out.
#include <gtest/gtest.h>

#include "calibrate/ledger/rules.hpp"
#include "tests/ledger/evidence.hpp"

namespace calibrate::ledger {
namespace {

TEST(EverySecondSize, PredictsALineExactlyAndEverySizeOnce) {
  const auto predictions =
      predict_every_second_size({{}, {line_table("folder/t.csv", "all_reduce", 8, 1e-4, 1e-9)}});
  ASSERT_TRUE(predictions) << predictions.error().text();
  EXPECT_EQ(predictions->size(), 16);
  for (const Prediction& each : *predictions) {
    EXPECT_NEAR(each.error(), 0, 1e-4) << each.what;
    EXPECT_EQ(each.table, "t.csv");
    EXPECT_FALSE(each.in_sample);
  }
}

TEST(EverySecondSize, TooFewSizesAreRefusedByName) {
  const SourceText short_table{"t.csv", "# collective=all_reduce; nranks=2\nsize_bytes,time_us\n8,1\n16,2\n"};
  EXPECT_EQ(predict_every_second_size({{}, {short_table}}).error().text(),
            "t.csv: 2 sizes are too few for a fit with an honest error; measure at least 4");
}

}  // namespace
}  // namespace calibrate::ledger
