// The ledger: errors by hand, bounds kept and missed, and a fit never called a prediction of its own data.
#include "calibrate/ledger.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/calibrate/printed_log.hpp"

namespace calibrate {
namespace {

using testing::HasSubstr;

const LedgerRow row{"m.csv", "c.yaml", 0.1, 2};

Measurements two_points() {
  Measurements measured = random_measurements(operations()[0], 2, 1, 1);
  measured.points = {{{1e6}, {0.001}}, {{2e6}, {0.002}}};
  measured.facts.source = "here";
  return measured;
}

/// Predicts 1.1 ms at 1 MB and 2.1 ms at 2 MB.
std::vector<FitRecord> model(const Measurements& measured) {
  return {record_of(measured, "m.csv", {{{{{2e6}, {1e-4}, {1e-9}}}}, {}, HeldOutBy::every_second_size})};
}

std::string refusal(const std::string& text) {
  const auto rows = parse_ledger(text, "l.csv");
  return rows ? "read" : rows.error().text();
}

TEST(Ledger, ErrorsAreAsByHand) {
  const auto verdict = judge(row, two_points(), model(two_points()));
  ASSERT_TRUE(verdict) << verdict.error().text();
  EXPECT_NEAR(verdict->predictions[0].error(), 0.1, 1e-12);
  EXPECT_NEAR(verdict->errors.mean, 0.075, 1e-12);
  EXPECT_TRUE(verdict->holds());
  EXPECT_FALSE(judge({"m.csv", "c.yaml", 0.07, 2}, two_points(), model(two_points()))->holds());
}

TEST(Ledger, FitToTheSameTimesIsSaidToBeNoPrediction) {
  Measurements other = two_points();
  other.facts.network = "another network of the same page";
  EXPECT_TRUE(judge(row, two_points(), model(two_points()))->seen);
  EXPECT_FALSE(judge(row, other, model(two_points()))->seen);
  EXPECT_THAT(print_verdicts({*judge(row, two_points(), model(two_points()))}),
              HasSubstr("kept (fitted to these very times)"));
}

TEST(Ledger, MissingFitIsRefused) {
  Measurements measured = two_points();
  measured.ranks = 4;
  EXPECT_EQ(judge(row, measured, model(two_points())).error().text(),
            "`c.yaml` has no fit of all_reduce on 4 ranks; it has all_reduce on 2 ranks");
}

TEST(Ledger, IsReadAndRefusedWithPlaces) {
  const auto rows =
      parse_ledger("# why\nmeasurements,model,tolerance_percent\na.csv, b.yaml, 7.5\n", "l.csv");
  ASSERT_TRUE(rows) << rows.error().text();
  EXPECT_EQ(rows->at(0).model, "b.yaml");
  EXPECT_DOUBLE_EQ(rows->at(0).tolerance, 0.075);
  EXPECT_EQ(rows->at(0).line, 3);
  EXPECT_EQ(refusal("a,b\n"),
            "l.csv:1:1: `a,b` is not the header; write measurements,model,tolerance_percent");
  EXPECT_THAT(refusal("measurements,model,tolerance_percent\na,b\n"),
              HasSubstr("l.csv:2:1: `a,b` is no row"));
  EXPECT_THAT(refusal("measurements,model,tolerance_percent\na,b,nan\n"),
              HasSubstr("l.csv:2:1: `nan` is no tolerance_percent"));
  EXPECT_THAT(refusal("measurements,model,tolerance_percent\n"), HasSubstr("the ledger has no rows"));
}

}  // namespace
}  // namespace calibrate
