// Predictions of fits to tables of collectives.
#include <gtest/gtest.h>

#include "calibrate/fits/fit_file.hpp"
#include "calibrate/ledger/rules.hpp"
#include "tests/ledger/evidence.hpp"

namespace calibrate::ledger {

// Every second size: exact on a line, and no size is left out.

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
            "t.csv: 2 sizes are too few for a fit with a held-out error; measure at least 4");
}

}  // namespace

// Files of fits: errors by hand, and a fit is never a prediction of its own data.

namespace {

/// 0.1 ms + 1 ns a byte, as a fit of the measurements in `source`.
SourceText fit_of(const SourceText& source) {
  const auto measured = measurements::parse_csv(source.text, source.path);
  const fits::Fit fit{{{{{2e6}, {1e-4}, {1e-9}}}}, {}, fits::HeldOutBy::every_second_size};
  return {"c.yaml", fits::print_fits(std::vector{fits::record_of(*measured, source.path, fit)}, "0")};
}

TEST(FitFiles, ErrorsAreAsByHand) {
  const SourceText measured = line_table("m.csv", "all_reduce", 2, 0, 1e-9);
  const auto predictions = predict_by_fit_files({{fit_of(measured)}, {measured}});
  ASSERT_TRUE(predictions) << predictions.error().text();
  EXPECT_NEAR((*predictions)[0].error(), 100, 1e-9);  // 101 us instead of 1 us at 1 kB
}

TEST(FitFiles, FitToTheSameTimesIsSaidToBeInSample) {
  const SourceText measured = line_table("m.csv", "all_reduce", 2, 0, 1e-9);
  const SourceText other = line_table("other.csv", "all_reduce", 2, 0, 1e-9);
  EXPECT_TRUE(predict_by_fit_files({{fit_of(measured)}, {measured}})->front().in_sample);
  EXPECT_FALSE(predict_by_fit_files({{fit_of(measured)}, {other}})->front().in_sample);
}

TEST(FitFiles, MissingFitIsRefused) {
  const SourceText measured = line_table("m.csv", "all_reduce", 2, 0, 1e-9);
  EXPECT_EQ(predict_by_fit_files({{fit_of(measured)}, {line_table("n.csv", "all_reduce", 4, 0, 1e-9)}})
                .error()
                .text(),
            "n.csv: no fit of all_reduce on 4 ranks; available: all_reduce on 2 ranks");
}

}  // namespace

// Other collectives from all-reduce: as many bytes on the links take as long.

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
      "ag.csv: no all_reduce on 8 ranks is given under `seen`; name one under `seen`");
}

}  // namespace

// Other ranks: a ring is predicted on ranks that were not seen, and only on those.

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
            "4.csv: 4 ranks are under `seen` too; name it on one side only");
  EXPECT_EQ(
      predict_other_ranks({{ring(2), ring(4)}, {line_table("b.csv", "broadcast", 8, 1, 1)}}).error().text(),
      "b.csv: this is broadcast, and all_reduce is seen");
  EXPECT_EQ(predict_other_ranks({{ring(2)}, {ring(4)}}).error().text(),
            "2.csv: 1 number of ranks cannot determine the dependence on ranks; give tables on at least two");
}

}  // namespace
}  // namespace calibrate::ledger
