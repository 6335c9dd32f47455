// Curves of records between their points; compressions as phrases.
#include "learning/learners/record_curve.hpp"

#include <cmath>

#include <gtest/gtest.h>

namespace learning::learners {

// Compressions as phrases.

namespace {

TEST(RecordCompression, IsReadBackAsPrinted) {
  const std::pair<Compression, std::string> rows[] = {
      {{}, "none"},
      {{"topk", 0.01, true, false}, "topk 0.01"},
      {{"topk", 0.001, false, false}, "topk 0.001 without error feedback"},
      {{"ar_topk", 0.1, true, true}, "ar_topk 0.1 by variance"},
      {{"ar_topk", 0.1, false, true}, "ar_topk 0.1 by variance without error feedback"},
      {{"dct_topk", 0.1, false, false, 1, true},
       "dct_topk 0.1 in proportion to tiles without error feedback"},
  };
  for (const auto& [compression, phrase] : rows) {
    EXPECT_EQ(print_compression(compression), phrase);
    const auto read = parse_compression(phrase);
    ASSERT_TRUE(read.has_value()) << phrase;
    EXPECT_EQ(*read, compression) << phrase;
  }
}

TEST(RecordCompression, OtherPhrasesAreRefused) {
  for (const std::string phrase : {"", "topk", "topk 0", "topk 1.5", "topk x", " 0.1", "none 0.1x"}) {
    EXPECT_EQ(parse_compression(phrase).error().text(),
              "`" + phrase +
                  "` is not a compression; accepted: none, or a method and its ratio in (0, 1], such as "
                  "`topk 0.01` or `topk 0.01 without error feedback`");
  }
}

TEST(RecordCompression, UnknownMethodsAreRefusedWithTheNearestOne) {
  EXPECT_TRUE(
      parse_compression("topkk 0.1")
          .error()
          .text()
          .starts_with("unknown compression method `topkk`; did you mean `topk`? accepted: none, fp16"))
      << parse_compression("topkk 0.1").error().text();
}

TEST(RecordCompression, AllIsSentWithoutCompressionOrAtRatioOne) {
  EXPECT_TRUE(sends_all({}));
  EXPECT_TRUE(sends_all({"topk", 1, true, false}));
  EXPECT_TRUE(sends_all({"ar_topk", 1, true, true}));
  EXPECT_FALSE(sends_all({"topk", 0.99, true, false}));
}

TEST(RecordCompression, MethodsThatChangeValuesNeverSendThemAsTheyAre) {
  for (const std::string method : {"fp16", "bf16", "qsgd", "terngrad", "signsgd", "powersgd", "multilevel"})
    EXPECT_FALSE(sends_all({method, 1, true, false})) << method;
}

TEST(RecordCompression, TablesTellVarianceSelectionApart) {
  EXPECT_EQ(table_name({"ar_topk", 0.1, true, false}), "ar_topk");
  EXPECT_EQ(table_name({"ar_topk", 0.1, true, true}), "ar_topk_by_variance");
}

}  // namespace

// Values between known points, by hand.

namespace {

const Curve curve{{1, 10}, {3, 20}, {7, 0}};

TEST(RecordCurve, IsLinearBetweenKnots) {
  EXPECT_DOUBLE_EQ(*value_within(curve, 1), 10);
  EXPECT_DOUBLE_EQ(*value_within(curve, 2), 15);
  EXPECT_DOUBLE_EQ(*value_within(curve, 3), 20);
  EXPECT_DOUBLE_EQ(*value_within(curve, 4), 15);
  EXPECT_DOUBLE_EQ(*value_within(curve, 7), 0);
}

TEST(RecordCurve, KnowsNothingOutsideItsKnots) {
  EXPECT_FALSE(value_within(curve, 0.999).has_value());
  EXPECT_FALSE(value_within(curve, 7.001).has_value());
  EXPECT_FALSE(value_within({}, 1).has_value());
}

TEST(RecordCurve, ClampedKeepsTheOutermostValues) {
  EXPECT_EQ(value_clamped(curve, -5), 10);
  EXPECT_EQ(value_clamped(curve, 100), 0);
}

TEST(RecordCurve, MeanToOneIsTheAreaUnderItsPieces) {
  EXPECT_DOUBLE_EQ(mean_to_one({{0.3, 4}}), 4);
  EXPECT_DOUBLE_EQ(mean_to_one({{0, 0}, {1, 2}}), 1);
  EXPECT_DOUBLE_EQ(mean_to_one({{0.5, 1}, {1.5, 5}}), 0.5 * 1 + 0.5 * 2);
  EXPECT_DOUBLE_EQ(mean_to_one({{2, 1}, {3, 5}}), 1);
}

TEST(RecordCurve, RatiosAreLinearInTheirLogarithmAndOneAtOne) {
  const Curve gains{{0.001, 0.1}, {0.1, 0.5}};
  EXPECT_DOUBLE_EQ(*value_at_ratio(gains, 0.01), 0.3);
  EXPECT_DOUBLE_EQ(*value_at_ratio(gains, 0.1), 0.5);
  EXPECT_NEAR(*value_at_ratio(gains, std::sqrt(0.1)), 0.75, 1e-12);
  EXPECT_EQ(value_at_ratio(gains, 1), 1.0);
}

TEST(RecordCurve, RatiosBelowTheSmallestAreUnknownUnlessClamped) {
  const Curve gains{{0.001, 0.1}, {0.1, 0.5}};
  EXPECT_FALSE(value_at_ratio(gains, 0.0009).has_value());
  EXPECT_EQ(value_at_ratio_clamped(gains, 0.0009), 0.1);
  EXPECT_FALSE(value_at_ratio({}, 0.5).has_value());
  EXPECT_EQ(value_at_ratio({}, 1), 1.0);
}

TEST(RecordCurve, AKnotAtRatioOneStandsForWhatIsTrueThere) {
  EXPECT_EQ(value_at_ratio({{0.1, 3}}, 1), 1);
  EXPECT_EQ(value_at_ratio({{1, 3}}, 1), 3);
  EXPECT_EQ(value_at_ratio({{1, 3}}, 0.5), std::nullopt);
}

}  // namespace
}  // namespace learning::learners
