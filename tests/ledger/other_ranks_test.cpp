// Other ranks: a ring is predicted on ranks that were not seen, and only on those.
#include <gtest/gtest.h>

#include "calibrate/ledger/rules.hpp"
#include "tests/ledger/evidence.hpp"

namespace calibrate::ledger {
namespace {

/// A ring of 10 us and 1 GB/s: 2(N-1) 10 us + 2(N-1)/N ns a byte.
SourceText ring(int ranks) {
  return line_table(std::to_string(ranks) + ".csv", "all_reduce", ranks, 2e-5 * (ranks - 1),
                    2e-9 * (ranks - 1) / ranks);
}

TEST(OtherRanks, RingIsPredictedOnRanksThatWereNotSeen) {
  const auto predictions = predict_other_ranks({{ring(2), ring(4), ring(8)}, {ring(16)}});
  ASSERT_TRUE(predictions) << predictions.error().text();
  EXPECT_EQ(predictions->size(), 16);
  for (const Prediction& each : *predictions) EXPECT_NEAR(each.error(), 0, 1e-3) << each.what;
}

TEST(OtherRanks, SeenRanksAndOtherCollectivesAreRefused) {
  EXPECT_EQ(predict_other_ranks({{ring(2), ring(4)}, {ring(4)}}).error().text(),
            "4.csv: 4 ranks are seen too; name it on one side only");
  EXPECT_EQ(
      predict_other_ranks({{ring(2), ring(4)}, {line_table("b.csv", "broadcast", 8, 1, 1)}}).error().text(),
      "b.csv: this is broadcast, and all_reduce is seen");
  EXPECT_EQ(predict_other_ranks({{ring(2)}, {ring(4)}}).error().text(),
            "2.csv: 1 number of ranks shows no law over ranks; give tables on at least two");
}

}  // namespace
}  // namespace calibrate::ledger
